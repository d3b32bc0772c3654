extension Subcommand {
  static let why = Subcommand(
    name: "why", summary: "Show every event that a value comes from",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints the events that the one value at PATH comes from, with the role of each:

        counts     it set the value; of a count or a list, an item that is there
        undone     another event has undone or replaced its effect since
        undoes     it removed an earlier effect
        condition  without it, other events would have had another effect
        nothing    it changed nothing, usually because it is a repeat

      \(pathHelp)
      """,
    options: Option.past + [
      .value("--role", "ROLE", "Only events with this role.", repeats: true)
    ],
    examples: [
      "eventlog why followers/lena.count": "Why the count is what it is.",
      "eventlog why followers/lena.count --role nothing":
        "The events that look like changes, but changed nothing.",
      "eventlog why profile/lena.bio --as-of HEAD~20": "Why it had its value 20 events ago.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let path = try invocation.pathOfOne()
      guard path.type != nil else {
        throw Failure.usage(
          "why takes a path of one value, such as \(path.text).MEMBER; "
            + "'eventlog paths \(path.text)' lists the members")
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
          .refused, "there was nothing at \(quoted(path.text)) up to revision \(revision)")
      }
      why.rows(roles, limit: limit).write(format, footer: why.footer(revision))
      noteTail(of: view)
    })
}
