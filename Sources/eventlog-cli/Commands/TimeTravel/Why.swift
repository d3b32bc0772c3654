extension Subcommand {
  static let why = Subcommand(
    name: "why", summary: "Show every event that makes a value what it is",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints the events that the one value at PATH comes from, and what each has to do with it:

        counts     it set the value; of a count or a list, an item that is there
        undone     it set what another event undid or replaced since
        undoes     it undid what was there
        condition  without it, others would have come to something else
        nothing    it changed nothing: a repeat, as a rule

      \(pathHelp)
      """,
    options: Option.past + [
      .value("--role", "ROLE", "Only events of this role; may be given again.", repeats: true)
    ],
    examples: [
      "eventlog why followers/lena.count": "Why it is that number.",
      "eventlog why followers/lena.count --role nothing":
        "The events that somebody may have taken for a change.",
      "eventlog why profile/lena.bio --as-of HEAD~20": "Why it was what it was.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let path = try invocation.pathOfOne()
      guard path.type != nil else {
        throw Failure.usage(
          "why takes a path of one value, such as \(path.text).MEMBER; "
            + "'eventlog paths \(path.text)' lists those there are")
      }
      let limit = try invocation.rowLimit()
      let roles = try invocation.values("--role").map { text throws(Failure) -> Why.Role in
        guard let role = Why.Role(rawValue: text) else {
          throw Failure.usage(
            "--role takes \(Why.Role.allCases.map(\.rawValue).joined(separator: ", ")), "
              + "not \(quoted(text))")
        }
        return role
      }
      let view = try invocation.openLog()
      let revision = try invocation.revision("--as-of", in: view)
      let travel = try await invocation.timeTravel(view, path: 0)
      let why = try await travel.why(path, at: revision)
      if why.value == nil, why.reasons.isEmpty {
        throw Failure(
          .refused, "nothing was ever at \(quoted(path.text)) up to revision \(revision)")
      }
      why.rows(roles, limit: limit).write(format, footer: why.footer(revision))
      noteTail(of: view)
    })
}
