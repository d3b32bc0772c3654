import Events
import Projections
import UseCases

extension Subcommand {
  static let checkpoint = Subcommand(
    name: "checkpoint", summary: "Keep the projections' states, so that later commands are quick",
    arguments: "[WHAT]", positionals: 0...1,
    discussion: """
      Rebuilds what there is no checkpoint of, and writes to the folder checkpoints of the log. \
      WHAT is 'everything', the state at the end of the log for every command that asks; \
      'followers', also at some sixteen revisions on the way; or 'mentions', the index that \
      travelling in time goes by. All if not given. Everything takes about half the room of the \
      log. Checkpoints are disposable: each is used only while it \
      fits the log, and deleting them changes no answer.
      """,
    options: [.log, .format, .unknown, .jobs, .cold],
    examples: [
      Example(command: "eventlog checkpoint --log my.log", help: "As far as the log goes now."),
      Example(
        command: "eventlog checkpoint --log my.log --cold",
        help: "Anew, from the text of the log alone."),
    ],
    run: { try await runCheckpoint($0) })
}

private func runCheckpoint(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  guard view.isLog else {
    throw Failure.usage("only a log in a folder has checkpoints; make one with 'eventlog import'")
  }
  let what = invocation.positionals.first
  if let what, !["everything", "followers", "mentions"].contains(what) {
    throw Failure.usage(
      "checkpoint takes everything, followers or mentions, not \(quoted(what))")
  }
  let head = try failing { () throws(LogError) in try view.head() }
  var rows = Rows([
    .init(name: "of", title: "OF"), .init(name: "revision", title: "REVISION", alignment: .right),
  ])
  func save<P>(_ replay: inout Replay<P>, as name: String) throws(Failure) {
    // Reading may be interrupted at any time; writing is brief.
    Interrupt.defer()
    defer { Interrupt.end() }
    do throws(FileError) {
      if try replay.save(view, as: name) {
        rows.add([.text(name), .int(Int(replay.head.seq))])
      }
    } catch {
      throw Failure(.cannotCreate, "no checkpoint: \(error)")
    }
    try Interrupt.check("the checkpoints up to revision \(grouped(Int(replay.head.seq))) are there")
  }
  // Checkpoints at intermediate revisions, for questions about the past.
  let steps: UInt64 = 16
  for step in 1...steps where what ?? "followers" == "followers" {
    let until = step == steps ? head.seq : head.seq / steps * step
    if step < steps, head.seq < 100_000 { continue }
    var replay = try await replayed(
      FollowerRanking(), view, until: until, invocation, label: "followers, \(step) of \(steps)",
      from: .checkpoint,
      leavesCheckpoint: false)
    try save(&replay, as: FollowerRanking.name)
  }
  if what ?? "mentions" == "mentions" {
    var mentions = try await replayed(
      Mentions(), view, until: head.seq, invocation, label: "mentions", from: .checkpoint,
      leavesCheckpoint: false)
    try save(&mentions, as: Mentions.name)
  }
  if what ?? "everything" == "everything" {
    var everything = try await replayed(
      CoreState(), view, until: head.seq, invocation, label: "everything", from: .checkpoint,
      leavesCheckpoint: false)
    try save(&everything, as: "everything")
  }
  rows.write(format, footer: asOf(head))
  noteTail(of: view)
}
