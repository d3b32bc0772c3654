extension Subcommand {
  static let rules = Subcommand(
    name: "rules", summary: "Show or change the rules that a log records",
    arguments: "[NAME|FILE]", positionals: 0...1,
    discussion: """
      Without an argument, lists the rules that the log records, and the position after which each \
      took effect. The last ones are in effect now.

      With climb, erg, ride or a JSON file, records these rules. They take effect from the next \
      event on; 'check' checks earlier events by the rules of their time. If the log had no rules, \
      its earlier events are checked by the new ones too. The rules of a clone are recorded in its \
      shared log. Programs that have the log open, such as the servers of other clones, keep their \
      rules until they open it again: restart them.
      """,
    options: [.log, .format],
    examples: [
      "eventlog rules --log my.log": "Show the rules, and since when.",
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
  let changes = (history?.changes ?? []).suffix(recorded.entries.count)
  for (entry, change) in zip(recorded.entries, changes) {
    rows.add([.optional(entry.after), .text(change.rules.name), .json(entry.rules.text)])
  }
  rows.write(format)
  if recorded.entries.isEmpty {
    Output.remark(
      "the log records no rules: commands use those of climb, or those given with --rules")
  }
}

private func changeRules(_ invocation: Invocation, _ name: String) async throws {
  let rules = try invocation.namedRules(name, "rules")
  let log = try await invocation.openLogForWriting()
  // Throws if the recorded rules cannot be read, so that this command does not overwrite them.
  let recorded = try RuleHistory(try await log.recordedRules())
  if recorded?.current == rules {
    return Output.remark("the log already has the rules \(rules.name)")
  }
  try await log.record(rules: rules.json)
  Output.remark("the rules \(rules.name) hold after event \(await log.head())")
}
