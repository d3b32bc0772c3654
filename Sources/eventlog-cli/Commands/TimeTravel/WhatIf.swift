extension Subcommand {
  static let whatIf = Subcommand(
    name: "what-if",
    summary: "Show the state without some events, with others, or in another order",
    arguments: "[PATH]", positionals: 0...1,
    discussion: """
      Builds an alternative history, without changing the log, and prints the later events that \
      the rules would refuse in it. These events are applied all the same, as facts; with \
      --redecide each event is decided again, and a refused one is dropped. With --diff, prints \
      how the state would differ, in all projections or under PATH.

      \(pathHelp)
      """,
    options: [
      .log, .asOf,
      .value("--skip", "R", "Leave out event R, or the events A..B.", repeats: true),
      .value(
        "--insert", "FILE", "Add the events of FILE at their times; those without a time come last."
      ),
      .value("--move", "A:B", "Move event A right after event B.", repeats: true), .rules,
      .value(
        "--rules-that-held", "climb|erg|ride|FILE",
        "The rules of the log's own events; those that it records, or climb, if not given."
      ),
      .flag("--redecide", "Decide each event again instead of applying it as it is."),
      .flag("--diff", "Print how the state would differ."), .limit, .format, .unknown,
    ],
    examples: [
      "eventlog what-if --skip 227": "If event 227 had not happened.",
      "eventlog what-if --skip 9 --redecide --diff": "How the state would differ.",
      "eventlog what-if --rules erg --diff profile/lena": "With other rules.",
      "eventlog what-if --skip 9 --rules erg --rules-that-held erg --log eventlogs/erg":
        "For a log whose events were decided by the rules of erg.",
    ],
    run: { try await runWhatIf($0) })
}

extension Invocation {
  /// Returns the alternative history that the options describe.
  func whatIf(in view: LogView) throws -> WhatIf {
    var whatIf = WhatIf()
    // `--rules` may differ from the log's rules, because nothing is appended.
    let recorded = try recordedRules()?.current ?? RuleHistory(unrecorded: .climb).current
    whatIf.rules = try givenRules() ?? recorded
    // A preset has the log's edition, so that only the differences between the apps count.
    if Rules.presets.contains(whatIf.rules) {
      whatIf.rules = whatIf.rules.of(edition: recorded.edition)
    }
    whatIf.rulesThatHeld = try givenRules("--rules-that-held") ?? recorded
    whatIf.redecides = flag("--redecide")
    whatIf.until = try revision("--as-of", in: view)
    for text in values("--skip") {
      guard text.contains("..") else {
        whatIf.skipped.insert(try Self.event(text, in: view))
        continue
      }
      guard let range = RevisionRange(text) else {
        throw Failure.usage("\(quoted(text)) is not a revision or range A..B")
      }
      let (from, to) = (try range.from.resolve(in: view), try range.to.resolve(in: view))
      if from >= to { throw Failure.usage("--skip \(text): the range is empty") }
      whatIf.skipped.formUnion(from + 1...to)
    }
    for text in values("--move") {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw Failure.usage("--move takes A:B: event A moves right after event B")
      }
      let event = try Self.event(parts[0], in: view)
      let target = try Self.resolve(parts[1], in: view)
      if event == target { throw Failure.usage("--move \(text): an event cannot follow itself") }
      whatIf.moved[event] = target
    }
    if let moved = whatIf.moved.first(where: { whatIf.moved[$0.value] != nil }) {
      throw Failure.usage(
        "--move \(moved.key):\(moved.value): event \(moved.value) is moved itself")
    }
    if let path = value("--insert") { whatIf.inserted = try Self.insertions(path) }
    return whatIf
  }

  /// Returns the position of the event that a text names as a revision.
  private static func event(_ text: String, in view: LogView) throws -> UInt64 {
    let position = try resolve(text, in: view)
    if position == 0 {
      throw Failure.usage("revision 0 is the empty log: there is no event to name")
    }
    return position
  }

  /// Rejects a path whose ids occur neither in the log nor in the inserted events.
  fileprivate func checkPath(_ whatIf: WhatIf, in view: LogView) async throws {
    guard let text = positionals.first else { return }
    // Handles ignore case.
    let inserted = Set(
      whatIf.inserted.flatMap { (try? JSONValue(object: $0))?.texts ?? [] }
        .flatMap { [$0, $0.lowercased()] })
    let ids = StatePath.ids(in: text).filter {
      !inserted.contains($0.kind == .handle ? $0.id.lowercased() : $0.id)
    }
    if !ids.isEmpty { try await check(ids, in: text, try await timeTravel(view)) }
  }

  private static func insertions(_ path: String) throws -> [[UInt8]] {
    var lines = try ForeignLines(path: path)
    var found: [[UInt8]] = []
    var parser = LineParser.foreign
    var names = Names()
    while let line = try lines.next() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      do throws(LineFault) {
        let parsed = try parser.parse(line, names: &names)
        if parsed.event == nil { throw LineFault(.unknownType(parsed.line.type), path: "type") }
      } catch {
        throw Failure(lines.fault(error))
      }
      found.append(line)
    }
    return found
  }
}

private func runWhatIf(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let path = try invocation.statePath(0)
  let isComparing = invocation.flag("--diff") || path != nil
  let view = try invocation.openLog()
  let whatIf = try invocation.whatIf(in: view)
  let limit = try invocation.rowLimit()
  try await invocation.checkPath(whatIf, in: view)
  let bar = Progress(
    label: "what if", total: try size(of: view, until: whatIf.until), unit: "bytes")
  let unknown = try invocation.unknownPolicy()
  let outcome = try whatIf.run(view, comparing: isComparing, unknown: unknown, progress: bar.update)
  bar.finish()
  var refusals = Rows([
    .number("seq", "EVENT"), .text("time"), .text("actor"), .text("refused", "WOULD BE REFUSED"),
  ])
  for refusal in outcome.refusals.prefix(limit ?? .max) {
    refusals.add([
      refusal.seq.map { .int(Int($0)) } ?? .text("new"), .text("\(refusal.time)"),
      .text(refusal.actor), .text(refusal.sentence),
    ])
  }
  let fate =
    switch (outcome.refusals.count, whatIf.redecides) {
    case (0, _): "no later event became illegal"
    case (1, true): "1 later event became illegal and was dropped"
    case (1, false): "1 later event became illegal and stays"
    case (let many, true): "\(grouped(many)) later events became illegal and were dropped"
    case (let many, false): "\(grouped(many)) later events became illegal and stay"
    }
  let footer =
    "\(counted(outcome.count, "event")) instead of \(grouped(Int(whatIf.until))): "
    + (whatIf.redecides ? "the rules were run again, and " : "") + fate
  if isComparing {
    if format == .table, !refusals.rows.isEmpty {
      refusals.write(.table)
      Output.line("")
    }
    for refusal in outcome.refusals where format != .table {
      let place = refusal.seq.map { "seq \($0)" } ?? "inserted"
      Output.remark("would be refused: \(place), \(refusal.sentence)")
    }
    let changes = outcome.changes.filter { path?.contains($0.path) ?? true }
    Rows(changes, inWords: format == .table, limit: limit).write(format, footer: footer)
  } else if format == .table, refusals.rows.isEmpty {
    Output.line(footer)
  } else {
    refusals.write(format, footer: footer)
  }
  noteTail(of: view)
}
