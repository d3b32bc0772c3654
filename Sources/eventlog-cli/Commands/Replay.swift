extension Subcommand {
  static let replay = Subcommand(
    name: "replay", summary: "Rebuild every projection, print its speed, report forbidden events",
    discussion: """
      Rebuilds each projection from the text of the log, and checks every event against the \
      domain's rules. Lists the events that the use cases would have refused, which can only come \
      from an import. Prints the time to apply the events to each projection, the time to check \
      them, and the time for all together, on several cores and with the reading. Forbidden events \
      do not change the exit code.
      """,
    options: [
      .log, .value("--from", "R", "Report only events after revision R."),
      .value("--until", "R", "Stop after revision R."),
      .flag(
        "--compare", "Build each projection in two or three ways, and compare the results."),
      .rules, .limit, .format, .unknown, .jobs,
    ],
    examples: [
      "eventlog replay": "Rebuild and check the demo.",
      "eventlog replay --log my.log --from HEAD~1000": "Report only the last thousand events.",
      "eventlog replay --log my.log --compare": "Check that each way gives the same result.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let limit = try invocation.rowLimit(default: 20) ?? .max
      let view = try invocation.openLog()
      let until = try invocation.revision("--until", in: view)
      let from = try invocation.position("--from", in: view) ?? 0
      if from > until { throw Failure.usage("--from \(from) is after --until \(until)") }
      if invocation.flag("--compare") {
        try await compareAll(view, until: until, invocation, format)
        return noteTail(of: view)
      }
      var rows = Rows([
        .text("projection"), .number("events"), .number("seconds"),
        .number("eventsPerSecond", "EVENTS/S"), .number("bytesPerSecond", "BYTES/S"),
      ])
      func add(_ name: String, _ seconds: Double) {
        let rate = seconds > 0 ? Double(until) / seconds : 0
        let bytes = seconds > 0 ? Double(view.size) / seconds : 0
        rows.add([
          .text(name), .int(Int(until)), .json(fixed(seconds, 3)), .int(Int(rate)),
          .int(Int(bytes)),
        ])
      }
      let began = monotonicSeconds()
      let timed = Timed(try invocation.ruleHistory(), from: from)
      let replay = try await replayed(
        timed, view, until: until, invocation, label: "replaying", from: .nothing)
      for (name, seconds) in replay.projection.times { add(name, seconds) }
      add("(rules)", replay.projection.judgingSeconds)
      add("(all)", monotonicSeconds() - began)
      rows.write(format, footer: asOf(replay.head))
      report(replay.projection.findings, limit: limit)
      noteSkipped(replay.skipped)
      noteTail(of: view)
    })
}

private func report(_ findings: [Audit.Finding], limit: Int) {
  if findings.isEmpty {
    Output.remark("no event breaks a rule")
    return
  }
  for finding in findings.prefix(limit) { Output.remark("forbidden: \(finding)") }
  if findings.count > limit {
    Output.remark("… and \(grouped(findings.count - limit)) more (--limit 0 lists all)")
  }
}

/// Rebuilds each projection in several ways: in one piece, event by event, and from a checkpoint if
/// there is one. Compares the results.
/// - Throws: exit 1 if the results differ.
private func compareAll(
  _ view: LogView, until: UInt64, _ invocation: Invocation, _ format: Format
) async throws {
  var rows = Rows([
    .text("projection"), .number("compared"), .number("checkpoint"), .text("same"),
    .text("way", "DIFFERS"), .number("event", "FIRST EVENT"), .text("path"), .text("rebuilt"),
    .text("other", "OTHER WAY"),
  ])
  var differing = 0
  let options = try invocation.replayOptions(nil)
  for comparison in try await Catalogue.standard.compare(view, until: until, options: options) {
    let found = comparison.differences
    if !found.isEmpty { differing += 1 }
    for difference in found.isEmpty ? [nil] : found.map(Optional.some) {
      rows.add([
        .text(comparison.name), .int(comparison.count), .optional(comparison.checkpoint),
        .bool(difference == nil), .optional(difference?.way.rawValue), .optional(difference?.seq),
        .optional(difference?.path), .optional(difference?.rebuilt), .optional(difference?.other),
      ])
    }
  }
  rows.write(format, footer: "as of revision \(until)")
  if differing > 0 {
    throw Failure(
      .refused,
      "\(counted(differing, "projection")) differ from a rebuild")
  }
}
