import Events
import Projections

extension Subcommand {
  static let history = Subcommand(
    name: "history", summary: "Show every value that a piece of state ever had, and through whom",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints what changed under a PATH, oldest first, with the event that changed it and who \
      acted: of a list what came to it (+) and what left it (−).

      \(pathHelp)
      """,
    options: pastOptions,
    examples: [
      Example(command: "eventlog history followers/lena.count", help: "How the number went."),
      Example(
        command: "eventlog history relationship/alice/bob",
        help: "How these two became what they are."),
      Example(command: "eventlog history handle/lena", help: "Who has had the handle."),
    ],
    run: { try await runHistory($0) })
}

private func runHistory(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let path = try invocation.pathOfOne(0)
  let limit = try invocation.rowLimit()
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(0, travel)
  let timeline = try await asking { () throws(LogError) in
    try await travel.timeline(of: path, until: revision)
  }
  if timeline.steps.isEmpty {
    throw Failure(.refused, "nothing was ever at \(quoted(path.text)) up to revision \(revision)")
  }
  let rows = timeline.rows(inWords: format == .table, limit: limit)
  rows.write(format, footer: "as of revision \(revision)")
  noteTail(of: view)
}
