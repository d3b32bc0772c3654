extension Subcommand {
  static let log = Subcommand(
    name: "log", summary: "Print events, newest first, like 'git log'",
    arguments: "[R..R]", positionals: 0...1,
    discussion: """
      Prints the events of a range, newest first; with --follow the last ones, then each new one \
      as it is appended. An event must pass all the filters given.

      A..B is the events after revision A, up to and including B; either side may be left out.
      """,
    options: [
      .log,
      .value("--type", "TYPE", "Only events of this type.", repeats: true),
      .value("--actor", "USER", "Only events by this user."),
      .value("--user", "USER", "Only events by this user or that name this user."),
      .value(
        "--stream", "NAME", "Only events of this stream, or of all that begin so if it ends in /."),
      .value("--since", "TIME", "Only events at or after this time."),
      .value("--until", "TIME", "Only events at or before this time."),
      .value(
        "--correlation", "ID",
        "Only events of this request; found through the index, without a search of the log."),
      .value("--grep", "TEXT", "Only lines that contain this text, ignoring ASCII case."),
      .value("--limit", "N", "Print at most N events.", short: "-n"),
      .flag("--oneline", "Print one line per event."),
      .flag("--reverse", "Print the oldest first."),
      .flag("--follow", "Print events as they are appended."), .format,
    ],
    examples: [
      "eventlog log --oneline -n 10": "The last ten.",
      "eventlog log --user alice --type UserFollowed": "The follows by and of alice.",
      "eventlog log HEAD~100.. --grep rowing": "Search the last hundred events.",
      "eventlog log --correlation checkout-42 --log my.log": "The events of one request.",
      "eventlog log --log my.log --follow --format jsonl": "A live feed.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let filter = try EventFilter(invocation)
      let limit = try invocation.rowLimit()
      let view = try invocation.openLog()
      let (after, until) = try invocation.range(in: view)
      let follows = invocation.flag("--follow")
      if follows, format == .json || format == .csv {
        throw Failure.usage("--follow works only with --format table or jsonl")
      }
      if follows, !view.isLog {
        throw Failure.usage(
          "--follow needs a log in a folder: nothing is appended to a file or a pipe")
      }
      if after > until { throw Failure.usage("the range is empty: \(after) is after \(until)") }
      var writer = EventWriter(
        format: format, isShort: invocation.flag("--oneline"),
        readMarks(of: view, for: format))
      if let correlation = filter.correlation, !follows {
        let found = try view.positions(of: correlation).filter { $0 > after && $0 <= until }
        var left = limit ?? .max
        for seq in invocation.flag("--reverse") ? found : found.reversed() where left > 0 {
          guard let line = try view.line(at: seq), filter.passes(line) else { continue }
          writer.write(line)
          left -= 1
        }
      } else if follows || invocation.flag("--reverse") {
        let recent = until - min(until, UInt64(limit ?? 10))
        let start = follows && invocation.positionals.isEmpty ? recent : after
        var left = follows ? .max : limit ?? .max
        try view.forEachLine(after: start, until: until) { line in
          if line.event.seq > until || Output.isBroken { return false }
          if filter.passes(line) {
            writer.write(line)
            left -= 1
          }
          return left > 0
        }
      } else {
        try writeNewestFirst(view, after, until, limit ?? .max, filter, &writer)
      }
      writer.end()
      if follows { try await follow(view, after: until, filter, &writer) }
      noteTail(of: view)
    })
}

extension EventFilter {
  fileprivate init(_ invocation: Invocation) throws(Failure) {
    self.init()
    types = Set(invocation.values("--type"))
    try checkTypes(types)
    actor = invocation.value("--actor")
    user = invocation.value("--user")
    stream = invocation.value("--stream")
    since = try invocation.time("--since") ?? .earliest
    until = try invocation.time("--until") ?? .latest
    text = invocation.value("--grep")
    correlation = try invocation.correlation()
  }
}

/// Checks the names of event types. A log may contain unknown types, so only likely typos are
/// refused.
func checkTypes(_ types: Set<String>) throws(Failure) {
  let names = EventType.allCases.map(\.name)
  for type in types where !names.contains(type) && !UnknownType.isOfApp(type) {
    let near = suggestion(for: type, among: names).map { "; did you mean '\($0)'?" }
    throw .usage("unknown event type \(quoted(type))" + (near ?? "; docs/events.md lists them"))
  }
}

/// Reads the log backward in pieces, so that the newest events of a long log are printed at once.
private func writeNewestFirst(
  _ view: LogView, _ after: UInt64, _ until: UInt64, _ limit: Int, _ filter: EventFilter,
  _ writer: inout EventWriter
) throws {
  var end = until
  var step: UInt64 = 256
  var left = limit
  while end > after, left > 0, !Output.isBroken {
    let start = max(after, end - min(end, step))
    var piece: [SealedLine] = []
    try view.forEachLine(after: start, until: end) { line in
      if line.event.seq > end { return false }
      if filter.passes(line) { piece.append(line) }
      return true
    }
    for line in piece.reversed().prefix(left) { writer.write(line) }
    left -= min(left, piece.count)
    end = start
    step = min(step * 4, 65_536)
  }
}

/// Prints new events until the output is closed. Looks for them five times a second.
private func follow(
  _ view: LogView, after: UInt64, _ filter: EventFilter, _ writer: inout EventWriter
) async throws {
  let path = view.path
  var (seen, head, ledger) = (after, after, view.ledgerSize)
  while !Output.isBroken {
    try Output.flush()
    try await Task.sleep(nanoseconds: 200_000_000)
    do {
      let view = try LogView(path: path)
      head = try view.head().seq
      if view.ledgerSize != ledger {
        Output.remark(
          "note: \(path) was rewritten; events printed before may be different now")
        ledger = view.ledgerSize
      }
      if head > seen {
        try view.forEachLine(after: seen) { line in
          if filter.passes(line) { writer.write(line) }
          seen = line.event.seq
          return true
        }
      }
    } catch LogError.rewritten {
      // The next round reads all of the rewritten log.
      continue
    }
    if head < seen { throw Failure(.data, "\(path): the log has become shorter than it was") }
  }
}
