extension Subcommand {
  static let paths = Subcommand(
    name: "paths", summary: "List the pieces of state by their paths, now or as of any revision",
    arguments: "[PATH]", positionals: 0...1,
    discussion: """
      A PATH names a piece of state, or all pieces that begin with it:

      \(pathKinds)

      The ids in a PATH must occur in the log, at any revision. An id with characters other than \
      letters, digits, _ and - is quoted: profile/"001.ab".bio. With --complete, PATH may be empty \
      or the beginning of a path.
      """,
    options: [
      .log, .asOf, .flag("--complete", "Print how PATH may continue, for shells."), .limit, .format,
      .unknown, .jobs, .cold,
    ],
    examples: [
      "eventlog paths profile/lena": "The whole profile of lena.",
      "eventlog paths followers/lena.count --as-of 50%": "Lena's number of followers, half-way.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let view = try invocation.openLog()
      if invocation.flag("--complete") {
        let travel = try await invocation.timeTravel(view)
        let words = try await travel.completions(of: invocation.positionals.first ?? "")
        for word in words { Output.line(word) }
        return
      }
      let revision = try invocation.revision("--as-of", in: view)
      let limit = try invocation.rowLimit()
      try await invocation.writeFacts(view, at: revision, path: 0, format, limit: limit)
      noteTail(of: view)
    })
}
