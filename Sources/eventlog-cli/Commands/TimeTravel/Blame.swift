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
    options: Option.past,
    examples: [
      "eventlog blame profile/lena": "Who set what of lena's profile.",
      "eventlog blame followers/lena --limit 5": "The last five that came.",
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
