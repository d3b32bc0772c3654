extension Subcommand {
  static let history = Subcommand(
    name: "history", summary: "Show every value that a piece of state ever had, and through whom",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints what changed under a PATH, oldest first, with the event that changed it and who \
      acted: of a list what came to it (+) and what left it (−).

      \(pathHelp)
      """,
    options: Option.past,
    examples: [
      "eventlog history followers/lena.count": "How the number went.",
      "eventlog history relationship/alice/bob": "How these two became what they are.",
      "eventlog history handle/lena": "Who has had the handle.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let path = try invocation.pathOfOne()
      let limit = try invocation.rowLimit()
      let view = try invocation.openLog()
      let revision = try invocation.revision("--as-of", in: view)
      let travel = try await invocation.timeTravel(view, path: 0)
      let timeline = try await travel.timeline(of: path, until: revision)
      if timeline.steps.isEmpty {
        throw Failure(
          .refused, "nothing was ever at \(quoted(path.text)) up to revision \(revision)")
      }
      let rows = timeline.rows(inWords: format == .table, limit: limit)
      rows.write(format, footer: "as of revision \(revision)")
      noteTail(of: view)
    })
}
