extension Subcommand {
  static let watch = Subcommand(
    name: "watch", summary: "Find the events at which a condition becomes true or false",
    arguments: "EXPR", positionals: 1...Int.max,
    discussion: """
      Prints the first event at which the condition becomes true or false; with --all every such \
      event. --reverse prints the last one, or all from the last to the first. Exit 1 if there is \
      no such event.

      \(expressionHelp)
      """,
    options: [
      .log, .flag("--all", "Print every event at which it becomes true or false."),
      .flag("--reverse", "Search from the last event back."),
      .value("--from", "R", "Only events after revision R."),
      .value("--until", "R", "Only events up to revision R."), .limit, .format, .unknown, .jobs,
      .cold,
    ],
    examples: [
      "eventlog watch 'followers/lena.count > 5'": "When lena got her sixth follower.",
      "eventlog watch 'relationship/alice/bob == friends' --all":
        "When these two became friends, and when it ended.",
      "eventlog watch 'chups/w-bob-1 contains erin' --reverse": "The last such event, for a chup.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let condition = try invocation.expression(invocation.positionals.joined(separator: " "))
      let limit = try invocation.rowLimit()
      let view = try invocation.openLog()
      let from = try invocation.position("--from", in: view) ?? 0
      let until = try invocation.revision("--until", in: view)
      if from > until { throw Failure.usage("--from \(from) is after --until \(until)") }
      let travel = try await invocation.timeTravel(view)
      try await invocation.check(condition.ids, in: condition.text, travel)
      let found = try await travel.turns(of: condition, after: from, until: until)
      var turns = found.turns
      if invocation.flag("--reverse") { turns.reverse() }
      let rows = Rows(
        turns, inWords: format == .table, limit: invocation.flag("--all") ? limit : 1)
      guard !turns.isEmpty else {
        throw Failure(
          .refused,
          "\(quoted(condition.text)) is always \(found.startsTrue) from revision \(from) "
            + "to \(until)"
        )
      }
      rows.write(
        format,
        footer:
          "\(found.startsTrue) at revision \(from); turns \(counted(found.turns.count, "time")), "
          + "to \(found.isTrue(at: until)) at revision \(until)")
      noteTail(of: view)
    })
}
