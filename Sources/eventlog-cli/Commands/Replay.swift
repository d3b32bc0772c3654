extension Subcommand {
  static let replay = Subcommand(
    name: "replay", summary: "Rebuild every projection and print its speed",
    discussion: """
      Rebuilds each projection from the text of the log. Prints the time to apply the events to \
      each projection, and the time for all together, on several cores and with the reading.

      With --judge, also checks each event against the domain's rules, and prints the time of \
      these checks. Lists the events that the use cases would have refused, which can only come \
      from an import. Forbidden events do not change the exit code. 'check' finds them too, and \
      exits with 1.
      """,
    options: [
      .log, .value("--until", "R", "Stop after revision R."),
      .flag(
        "--compare", "Build each projection in two or three ways, and compare the results."),
      .flag("--judge", "Also check every event against the rules, and list forbidden events."),
      .value("--from", "R", "With --judge: list only events after revision R."),
      .rules, .limit, .format, .unknown, .jobs,
    ],
    examples: [
      "eventlog replay": "Rebuild the demo's projections.",
      "eventlog replay --log my.log --judge --from HEAD~1000":
        "Check every event; list only those of the last thousand that are forbidden.",
      "eventlog replay --log my.log --compare": "Check that each way gives the same result.",
    ],
    run: { try await runReplay($0) })
}

private func runReplay(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let judges = invocation.flag("--judge")
  if judges, invocation.flag("--compare") {
    throw Failure.usage("--judge and --compare cannot be used together")
  }
  for option in ["--from", "--limit", "--rules"] where !judges && invocation.value(option) != nil {
    throw Failure.usage("\(option) needs --judge, without which replay checks no rules")
  }
  let limit = try invocation.rowLimit(default: 20) ?? .max
  let view = try invocation.openLog()
  let until = try invocation.revision("--until", in: view)
  if invocation.flag("--compare") {
    try await compareAll(view, until: until, invocation, format)
  } else if judges {
    let from = try invocation.position("--from", in: view) ?? 0
    if from > until { throw Failure.usage("--from \(from) is after --until \(until)") }
    let blank = TimedAndJudged(try invocation.ruleHistory(), from: from)
    let replay = try await rebuild(blank, view, until: until, invocation, format) { judged in
      judged.timed.times + [("(rules)", judged.seconds)]
    }
    report(replay.projection.findings, limit: limit)
    noteSkipped(replay.skipped)
  } else {
    let replay = try await rebuild(Timed(), view, until: until, invocation, format) { $0.times }
    noteSkipped(replay.skipped)
  }
  noteTail(of: view)
}

/// Rebuilds a projection from the log's text. Prints the speed of each row in `times`, and of the
/// whole rebuild.
private func rebuild<P: Projection>(
  _ blank: P, _ view: LogView, until: UInt64, _ invocation: Invocation, _ format: Format,
  times: (P) -> [(name: String, seconds: Double)]
) async throws -> Replay<P> {
  var rows = Rows([
    .text("projection"), .number("events"), .number("seconds"),
    .number("eventsPerSecond", "EVENTS/S"), .number("bytesPerSecond", "BYTES/S"),
  ])
  let began = monotonicSeconds()
  let replay = try await replayed(
    blank, view, until: until, invocation, label: "replaying", from: .nothing)
  let all = (name: "(all)", seconds: monotonicSeconds() - began)
  for (name, seconds) in times(replay.projection) + [all] {
    let rate = seconds > 0 ? Double(until) / seconds : 0
    let bytes = seconds > 0 ? Double(view.size) / seconds : 0
    rows.add([
      .text(name), .int(Int(until)), .json(fixed(seconds, 3)), .int(Int(rate)), .int(Int(bytes)),
    ])
  }
  rows.write(format, footer: asOf(replay.head))
  return replay
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
