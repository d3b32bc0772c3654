extension Subcommand {
  static let genTest = Subcommand(
    name: "gen-test", summary: "Write a Swift test of what happened, with names and texts replaced",
    arguments: "A..B", positionals: 1...1,
    discussion: """
      Prints a Swift Testing test: given what came before between those that the events name, when \
      the commands that the events are the doing of are performed again, then the same events come \
      of it. A single revision is its event. Ids, handles and texts are replaced, the same by the \
      same; numbers and times of workouts stay. The test imports the product UseCasesTesting.
      """,
    options: [.log, .rules, .unknown, .jobs, .cold],
    examples: [
      "eventlog gen-test 227..231 > Tests/FollowTests.swift":
        "A regression test from a production log."
    ],
    run: { invocation in
      let view = try invocation.openLog()
      var (from, to) = try invocation.range(in: view)
      if !invocation.positionals[0].contains(".."), to > 0 { from = to - 1 }
      guard from < to else {
        throw Failure.usage("there is no event in \(quoted(invocation.positionals[0]))")
      }
      guard to - from <= 1_000 else {
        throw Failure.usage("\(grouped(Int(to - from))) events are no test; take at most 1,000")
      }
      let travel = try await invocation.timeTravel(view)
      let background = try await travel.background(after: from, until: to)
      let name = to - from == 1 ? "event\(to)" : "events\(from + 1)To\(to)"
      let test = GeneratedTest(background, name: name, rules: try invocation.rules())
      Output.data(test.source)
      for seq in test.notCommands {
        Output.remark(
          "note: event \(seq) sets a photo, for which the test has no image; it is given or "
            + "left out")
      }
      noteTail(of: view)
    })
}
