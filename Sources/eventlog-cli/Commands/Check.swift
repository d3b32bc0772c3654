extension Subcommand {
  static let check = Subcommand(
    name: "check", summary: "Check every rule of the domain and every invariant, event by event",
    discussion: """
      Checks each event against the domain's rules, given the events before it, and checks the \
      invariants of the projections. Prints the first event that breaks a rule; with --all every \
      such event; with --summary how many there are of each kind. Exit 1 if there is one. An event \
      that breaks a rule is still applied, like any other. 'verify' checks the log's bytes; \
      'check' checks what the events say.
      """,
    options: [
      .log, .asOf, .flag("--all", "Print every event that breaks a rule, as it is found."),
      .flag(
        "--summary",
        "Print one row per event type and reason: how many events, and the first as an example."
      ), .page, .rules, .limit, .format, .unknown,
    ],
    examples: [
      "eventlog check": "The demo breaks no rule.",
      "eventlog check --all --rules erg --log my.log":
        "Check by the rules of erg, if the log records no rules.",
      "eventlog check --all --summary --log my.log":
        "Count the imported events that break a rule.",
    ],
    run: { try await runCheck($0) })
}

private func runCheck(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let rules = try invocation.ruleHistory()
  let unknown = try invocation.unknownPolicy()
  let isSummary = invocation.flag("--summary")
  let limit = try invocation.rowLimit()
  let shown = isSummary ? 0 : invocation.flag("--all") ? limit ?? .max : 1
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let bar = Progress(label: "check", total: Int(clamping: revision), unit: "events")
  var rows = RowStream([.number("seq", "EVENT"), .text("type"), .text("broken")], format)
  let check = try Check(
    view, by: rules, until: revision, unknown: unknown,
    progress: { bar.update(Int(clamping: $0)) },
    found: { finding in
      guard rows.count < shown else { return }
      // On a terminal, rows and the progress bar would overlap.
      if Terminal.isOutputTTY { bar.finish() }
      rows.add([.int(Int(finding.seq)), .text(finding.type.name), .text(finding.sentence)])
    })
  bar.finish()
  noteTail(of: view)
  if check.forbidden == 0, check.brokenInvariant == nil, format == .table {
    return Output.line("\(counted(check.count, "event")): every rule and every invariant holds")
  }
  if isSummary {
    writeSummary(of: check, format, limit: limit, invocation)
  } else {
    if let broken = check.brokenInvariant {
      rows.add([.int(Int(broken.seq)), .null, .text("invariant: \(broken.invariant)")])
    }
    rows.finish()
  }
  let problems = check.groups.map { $0.first.seq } + [check.brokenInvariant?.seq].compactMap { $0 }
  if let target = invocation.value("--page"), let first = problems.min() {
    try writePage(of: view, until: revision, at: first, to: target, invocation)
  }
  if check.forbidden > 0 || check.brokenInvariant != nil {
    // The first row is not all that was found.
    let isPart = check.forbidden > 1 && !isSummary && !invocation.flag("--all")
    throw Failure(
      .refused,
      "\(counted(check.forbidden, "event")) of \(grouped(check.count)) broke a rule"
        + (isPart ? "; --all prints each of them, --summary counts the kinds" : "")
        + (check.brokenInvariant == nil ? "" : "; an invariant is broken, which is a bug"))
  }
}

/// Prints a row for each kind of problem, and the command that shows an example.
private func writeSummary(
  of check: Check, _ format: Format, limit: Int?, _ invocation: Invocation
) {
  var rows = Rows([
    .number("count", "EVENTS"), .text("type"), .text("code"), .text("broken"),
    .number("seq", "FIRST"), .text("time"), .text("actor"),
  ])
  for group in check.groups.prefix(limit ?? .max) {
    rows.add([
      .int(group.count), .text(group.first.type.name), .text(group.first.code),
      .text(group.first.summary), .int(Int(group.first.seq)),
      .text(format == .table ? "\(group.time.date)" : "\(group.time)"), .text(group.actor),
    ])
  }
  if let broken = check.brokenInvariant {
    rows.add([
      .int(1), .null, .text("invariant"), .text(broken.invariant), .int(Int(broken.seq)), .null,
      .null,
    ])
  }
  let example = check.groups.first?.first.seq ?? check.brokenInvariant?.seq
  let path = invocation.value("--log")
  let log = path == "-" ? "" : path.map { " --log \($0)" } ?? ""
  rows.write(format, footer: example.map { "for an example: eventlog show \($0)\(log)" })
}
