extension Subcommand {
  static let rules = Subcommand(
    name: "rules", summary: "Show the rules that a log records, and change them",
    arguments: "[NAME|FILE]", positionals: 0...1,
    discussion: """
      Without an argument it lists the rules that the log records, and the position after which \
      each began to hold. The last ones hold now.

      With climb, erg, ride or a JSON file it records these rules. They hold from the next event \
      on; 'check' judges earlier events by the rules that held then. A log without rules takes \
      them, and its earlier events are judged by them too. The rules of a clone are recorded in \
      its shared log. Programs that have the log open, such as the servers of other clones, keep \
      their rules until they open it again: restart them.
      """,
    options: [.log, .format],
    examples: [
      "eventlog rules --log my.log": "The rules, and since when.",
      "eventlog rules gym.json --log my.log": "Change them.",
    ],
    run: { invocation in
      if let name = invocation.positionals.first {
        try await changeRules(invocation, name)
      } else {
        try showRules(invocation)
      }
    })
}

private func showRules(_ invocation: Invocation) throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  var rows = Rows([.number("after", "AFTER EVENT"), .text("name"), .text("rules")])
  let recorded = try view.recordedRules()
  let history = try RuleHistory(recorded)
  for (entry, change) in zip(recorded.entries, history?.changes ?? []) {
    rows.add([.optional(entry.after), .text(change.rules.name), .json(entry.rules.text)])
  }
  rows.write(format)
  if recorded.entries.isEmpty {
    Output.remark("the log records no rules: those of climb hold, or those that --rules names")
  }
}

private func changeRules(_ invocation: Invocation, _ name: String) async throws {
  let rules = try invocation.namedRules(name, "rules")
  let log = try await invocation.openLogForWriting()
  // Rules that cannot be read are not overwritten.
  let recorded = try RuleHistory(try await log.recordedRules())
  if recorded?.current == rules {
    return Output.remark("the log has the rules \(rules.name) already")
  }
  try await log.record(rules: rules.json)
  Output.remark("the rules \(rules.name) hold after event \(await log.head())")
}
