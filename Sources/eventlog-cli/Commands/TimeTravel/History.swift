extension Subcommand {
  static let history = Subcommand(
    name: "history", summary: "Show every change of a piece of state, and who made it",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints every change under PATH, oldest first, with the event that made it and who acted. For \
      a list, prints the items added (+) and removed (−).

      \(pathHelp)
      """,
    options: Option.past,
    examples: [
      "eventlog history followers/lena.count": "How the number changed.",
      "eventlog history relationship/alice/bob": "How the relationship of these two changed.",
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
          .refused, "there was nothing at \(quoted(path.text)) up to revision \(revision)")
      }
      let rows = timeline.rows(inWords: format == .table, limit: limit)
      rows.write(format, footer: "as of revision \(revision)")
      noteTail(of: view)
    })
}
