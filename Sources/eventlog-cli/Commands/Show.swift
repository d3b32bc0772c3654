extension Subcommand {
  static let show = Subcommand(
    name: "show", summary: "Show one event and what it changed, or a piece of state after it",
    arguments: "R [PATH]", positionals: 1...2,
    discussion: """
      Prints event R and what it changed in all projections. With a PATH, prints the pieces of \
      state that PATH names, as of revision R.

      \(pathHelp)
      """,
    options: [.log, .format, .unknown, .jobs, .cold],
    examples: [
      "eventlog show 42": "The 42nd event.",
      "eventlog show HEAD --format json": "The last line of the log.",
      "eventlog show 42 profile/lena": "Lena's profile after event 42.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let view = try invocation.openLog()
      let seq = try Invocation.resolve(invocation.positionals[0], in: view)
      if try invocation.statePath(1) != nil {
        try await invocation.writeFacts(view, at: seq, path: 1, format, limit: nil)
        return noteTail(of: view)
      }
      guard let line = try view.line(at: seq) else {
        throw Failure.usage("revision 0 is the empty log: there is no event to show")
      }
      writeEvent(line, format, readMarks(of: view, for: format))
      if format == .table { try await writeChange(invocation, view, by: seq) }
      noteTail(of: view)
    })
}

/// The largest number of events that `show` adds to the saved event index to find what an event
/// changed. If the index lacks more events, `show` prints a note instead, except with `--cold`.
private let manyEvents: UInt64 = 1_000_000

/// Prints the state that an event changed. The command has already printed the event, so an error
/// here is only a note.
private func writeChange(
  _ invocation: Invocation, _ view: LogView, by seq: UInt64
) async throws {
  var invocation = invocation
  // Events of unknown types elsewhere in the log do not matter here.
  if invocation.value("--unknown") == nil { invocation.options["--unknown"] = ["skip"] }
  let head = try view.head().seq
  if head > manyEvents, !invocation.flag("--cold") {
    var index = Replay<EventIndex>()
    _ = index.restore(view, lazily: true)
    if head - index.head.seq > manyEvents {
      return Output.remark(
        "note: 'eventlog diff \(seq)' shows what it changed; after "
          + "'eventlog checkpoint mentions', 'show' does too")
    }
  }
  do {
    guard let step = try await invocation.timeTravel(view).change(by: seq) else { return }
    let pieces = step.pieces
    if pieces.isEmpty { return Output.line("It changed nothing.") }
    var rows = Rows([.text("path", "CHANGED"), .text("change", "")])
    for piece in pieces { rows.add([.text(piece.path), .text(piece.words)]) }
    rows.write(.table)
  } catch {
    Output.remark("note: cannot show what it changed: \(Failure(of: error).message)")
  }
}
