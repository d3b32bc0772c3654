import Events
import TimeMachine

extension Subcommand {
  static let verify = Subcommand(
    name: "verify", summary: "Check every sum, position, time, revision and line of a log",
    arguments: "", positionals: 0...0,
    discussion: """
      Reads the whole log strictly and stops at the first line that is wrong, naming file, line, \
      offset and position. Exit 65 on damage, and on an unfinished tail that no live writer \
      explains, and if the file rules.json cannot be read. A lone file or standard input is \
      checked for form.

      What no check of one log can show is that whole commits are missing from its end.
      """,
    options: [.log, .format],
    examples: [Example(command: "eventlog verify --log my.log", help: "Is it all there?")],
    run: { try runVerify($0) })
}

private func runVerify(_ invocation: Invocation) throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  let bar = Progress(label: "verifying", total: view.size, unit: "bytes")
  let result = try failing { () throws(LogError) in
    try view.verify(jobs: coreCount()) { done, _ in bar.update(done) }
  }
  bar.finish()
  try checkTail(of: view)
  try checkRules(of: view, result.head, invocation)
  var rows = Rows([
    .init(name: "events", title: "EVENTS", alignment: .right),
    .init(name: "streams", title: "STREAMS", alignment: .right),
    .init(name: "segments", title: "SEGMENTS", alignment: .right),
    .init(name: "bytes", title: "BYTES", alignment: .right),
    .init(name: "time", title: "LAST TIME"), .init(name: "sum", title: "SUM OF ALL"),
  ])
  let isEmpty = result.head.seq == 0
  rows.add([
    .int(Int(result.head.seq)), .int(result.streams), .int(result.segments), .int(result.bytes),
    isEmpty ? .null : .text("\(result.head.time)"),
    isEmpty ? .null : .text(result.head.sum.padded(to: 16, radix: 16)),
  ])
  rows.write(format, footer: "verified: nothing is wrong")
  for (type, count) in result.unknown.sorted(by: { $0.key < $1.key }) {
    Output.remark(
      "note: \(counted(count, "event")) of unknown type \(type.name) version "
        + "\(type.version)")
  }
}

/// Rules that cannot be read, or that were recorded after the log's last event, are damage.
private func checkRules(
  of view: LogView, _ head: LogHead, _ invocation: Invocation
) throws(Failure) {
  guard let last = try invocation.recordedRules()?.changes.last, last.after > head.seq else {
    return
  }
  let source = view.path + "/" + RecordedRules.fileName
  throw Failure(
    LogError.store(
      StoreFailure(RulesRefusal.beyondHead(source, after: last.after, head: head.seq))))
}

/// An incomplete last line is fine while somebody is writing; otherwise a crash left it.
private func checkTail(of view: LogView) throws {
  guard view.tail != .none, let segment = view.lastSegment else { return }
  let what =
    switch view.tail {
    case .none: ""
    case .unterminated: "the last line lacks its line feed; the next writer adds it"
    case .torn(let bytes):
      "\(bytes) bytes after the last line (at offset \(view.lastSegmentSize)) are no event; the "
        + "next writer cuts them off and keeps them in recovered/"
    case .unfinishedBatch(let events, _):
      "the first \(events) events of a commit (at offset \(view.lastSegmentSize)) lack the rest; "
        + "the next writer cuts them off and keeps them in recovered/"
    }
  if let writer = view.writer() {
    Output.remark("note: \(segment): \(what) (a writer is at work: \(writer))")
  } else {
    throw Failure(.data, "\(segment): \(what)")
  }
}
