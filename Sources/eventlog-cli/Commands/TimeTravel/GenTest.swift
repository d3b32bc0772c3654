extension Subcommand {
  static let genTest = Subcommand(
    name: "gen-test", summary: "Write a Swift test from events, with names and texts replaced",
    arguments: "A..B", positionals: 1...1,
    discussion: """
      Prints a Swift Testing test of these events. Given the earlier events between the users that \
      they name, when the commands behind these events are performed again, then the same events \
      are the result. A single revision R is event R. Ids, handles and texts are replaced, equal \
      ones by equal ones; numbers and times of workouts stay. The test imports the product \
      UseCasesTesting.
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
        throw Failure.usage(
          "\(grouped(Int(to - from))) events are too many for a test; the limit is 1,000")
      }
      let travel = try await invocation.timeTravel(view)
      let background = try await travel.background(after: from, until: to)
      let name = to - from == 1 ? "event\(to)" : "events\(from + 1)To\(to)"
      let test = GeneratedTest(background, name: name, rules: try invocation.rules())
      Output.data(test.source)
      for seq in test.notCommands {
        Output.remark(
          "note: event \(seq) sets a photo, but the test has no image; the test takes the event as "
            + "given, or leaves it out")
      }
      noteTail(of: view)
    })
}
