import Events
import Projections

extension Subcommand {
  static let blame = Subcommand(
    name: "blame",
    summary: "Show who last set each member of a piece of state, as 'git blame' does",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints each member under a PATH as it is now, or as of a revision, with the event that last \
      set it; of a list each item with the event that put it there.

      \(pathHelp)
      """,
    options: pastOptions,
    examples: [
      Example(command: "eventlog blame profile/lena", help: "Who set what of lena's profile."),
      Example(
        command: "eventlog blame followers/lena --limit 5", help: "The last five that came."),
    ],
    run: { try await runBlame($0) })
}

private func runBlame(_ invocation: Invocation) async throws {
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
  let rows = timeline.blameRows(limit: limit)
  if rows.rows.isEmpty {
    throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
  }
  rows.write(format, footer: "as of revision \(revision)")
  noteTail(of: view)
}
