extension Subcommand {
  static let blame = Subcommand(
    name: "blame",
    summary: "Show who last set each member of a piece of state, like 'git blame'",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints each member under PATH, now or as of a revision, with the event that last set it. For \
      a list, prints each item with the event that added it.

      \(pathHelp)
      """,
    options: Option.past,
    examples: [
      "eventlog blame profile/lena": "Who set each member of lena's profile.",
      "eventlog blame followers/lena --limit 5": "The five newest followers of lena.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let path = try invocation.pathOfOne()
      let limit = try invocation.rowLimit()
      let view = try invocation.openLog()
      let revision = try invocation.revision("--as-of", in: view)
      let travel = try await invocation.timeTravel(view, path: 0)
      let timeline = try await travel.timeline(of: path, until: revision)
      let rows = timeline.blameRows(limit: limit)
      if rows.rows.isEmpty {
        throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
      }
      rows.write(format, footer: "as of revision \(revision)")
      noteTail(of: view)
    })
}
