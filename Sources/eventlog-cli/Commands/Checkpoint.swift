extension Subcommand {
  static let checkpoint = Subcommand(
    name: "checkpoint", summary: "Save the projections' states, so that later commands start fast",
    arguments: "[WHAT]", positionals: 0...1,
    discussion: """
      Rebuilds every state that has no checkpoint, and writes checkpoints to the folder \
      checkpoints of the log. WHAT is one of these, all if not given:

        everything  the state at the end of the log, for every command that queries
        followers   the ranking of followers; in a long log also at 15 revisions on the way
        mentions    the index for the commands that travel in time
        writer      the index with which a server and other writers start

      Run the new version's command before an upgrade, beside the running server: the new version \
      then starts at once. Versions with other checkpoints keep theirs in files of their own; a \
      file's name contains the format, such as 3-1f0c93aa, that 'eventlog --version' prints.

      Checkpoints are disposable: a checkpoint is used only while it fits the log, and deleting it \
      changes no answer. This command is optional, because commands that query save checkpoints by \
      themselves.
      """,
    options: [
      .log, .format, .unknown, .jobs, .cold,
      .value(
        "--for-version", "FORMAT",
        "Fail unless this program writes this format: see 'eventlog --version'."),
    ],
    examples: [
      "nice -n 19 eventlog checkpoint --log my.log": "Prepare an upgrade beside the server.",
      "eventlog checkpoint --log my.log": "Save all states at the log's end.",
      "eventlog checkpoint --log my.log --cold": "Rebuild them from the log's text alone.",
    ],
    run: { try await runCheckpoint($0) })
}

private func runCheckpoint(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  try checkFormat(invocation.value("--for-version"))
  let view = try invocation.openLog()
  guard view.isLog else {
    throw Failure.usage("only a log in a folder has checkpoints; make one with 'eventlog import'")
  }
  let what = invocation.positionals.first
  if let what, !["everything", "followers", "mentions", "writer"].contains(what) {
    throw Failure.usage(
      "checkpoint takes everything, followers, mentions or writer, not \(quoted(what))")
  }
  let head = try view.head()
  var rows = Rows([.text("of"), .number("revision")])
  func keep<P: Projection>(
    _ projection: P, until: UInt64, of what: String, label: String
  ) async throws {
    let bar = Progress(label: label, total: view.size, unit: "bytes")
    let options = try invocation.replayOptions(bar)
    let saved = try await Replay.answer(
      projection, of: view, until: until, options: options,
      usesCheckpoint: !invocation.flag("--cold"),
      ignoring: { noteIgnored($0.path, $0.fault) },
      { replay in
        bar.finish()
        // Ctrl-C may interrupt reading at any time, but waits until writing has finished.
        Interrupt.defer()
        let result = Result { () throws(FileError) in try replay.save(view) }
        return (result: result, position: Int(replay.head.seq))
      })
    defer { Interrupt.end() }
    do throws(FileError) {
      if try saved.result.get() { rows.add([.text(what), .int(saved.position)]) }
    } catch {
      throw Failure(.cannotCreate, "cannot save a checkpoint: \(error)")
    }
    try Interrupt.check("the checkpoints up to revision \(grouped(saved.position)) are saved")
  }
  // Checkpoints at intermediate revisions make queries of the past faster.
  let steps: UInt64 = 16
  for step in 1...steps where what ?? "followers" == "followers" {
    let until = step == steps ? head.seq : head.seq / steps * step
    if step < steps, head.seq < 100_000 { continue }
    try await keep(
      FollowerRanking(), until: until, of: FollowerRanking.name,
      label: "followers, \(step) of \(steps)")
  }
  if what ?? "mentions" == "mentions" {
    try await keep(EventIndex(), until: head.seq, of: EventIndex.name, label: "mentions")
  }
  if what ?? "everything" == "everything" {
    try await keep(CoreState(), until: head.seq, of: "everything", label: "everything")
  }
  if what ?? "writer" == "writer" {
    do throws(LogError) {
      if let position = try view.saveWriterIndex() {
        rows.add([.text("writer"), .int(Int(position))])
      }
    } catch {
      guard case .file(let error) = error else { throw error }
      throw Failure(.cannotCreate, "cannot save a checkpoint: \(error)")
    }
  }
  rows.write(format, footer: asOf(head))
  noteTail(of: view)
}

/// Checks the option `--for-version`.
private func checkFormat(_ wanted: String?) throws(Failure) {
  let format = Replay<CoreState>().checkpointFormat()
  guard let wanted, wanted != format else { return }
  throw .usage(
    "--for-version: this program writes checkpoints of format \(format), not \(quoted(wanted)); "
      + "run the program that prints \(quoted(wanted)) with --version")
}
