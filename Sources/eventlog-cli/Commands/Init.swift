extension Subcommand {
  static let initialize = Subcommand(
    name: "init", summary: "Create a new, empty log",
    arguments: "[PATH]", positionals: 0...1,
    discussion: """
      Creates the folder with an empty first segment; exit 73 if there is a log with events in it. \
      With --rules the log records the rules of its app in the file rules.json. Then no command \
      needs --rules, and other rules are exit 64.
      """,
    options: [
      .value("--log", "PATH", "The folder; the same as the argument."),
      .value(
        "--rules", "climb|erg|ride|FILE",
        "Record these rules: an app's name or a JSON file; none if not given."),
    ],
    examples: [
      "eventlog init my.log": "A log in the folder my.log.",
      "eventlog init my.log --rules erg": "The log of a rowing app.",
    ],
    run: { invocation in
      let path = try invocation.positionals.first ?? invocation.writePath()
      let rules = try invocation.givenRules()
      try await makeLog(path)
      guard let rules else { return Output.remark("made an empty log at \(path)") }
      let log = try FileLog(path: path)
      if let recorded = try RuleHistory(try await log.recordedRules()) {
        try recorded.check(rules)
      } else {
        try await log.record(rules: rules.json)
      }
      Output.remark("made an empty log at \(path), with the rules \(rules.name)")
    })
}
