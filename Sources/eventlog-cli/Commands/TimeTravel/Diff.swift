extension Subcommand {
  static let diff = Subcommand(
    name: "diff", summary: "Show how the state differs between two revisions",
    arguments: "A..B [PATH]", positionals: 1...2,
    discussion: """
      Prints how the state after B differs from the state after A, piece by piece; with a PATH, \
      only the pieces that it names. A single revision R shows what event R changed. A range may \
      go backwards.

      \(pathHelp)
      """,
    options: [
      .log, .flag("--stat", "Count the pieces of each kind instead of printing them."), .limit,
      .format, .unknown, .jobs, .cold,
    ],
    examples: [
      "eventlog diff HEAD~3..HEAD": "What the last three events changed.",
      "eventlog diff @2026-02-01.. followers/lena": "How lena's followers changed since February.",
      "eventlog diff 0..HEAD --stat": "Count all pieces of state.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let limit = try invocation.rowLimit()
      let path = try invocation.statePath(1)
      let view = try invocation.openLog()
      var (from, to) = try invocation.range(in: view)
      if !invocation.positionals[0].contains("..") {
        if to == 0 { throw Failure.usage("revision 0 is the empty log: no event changed it") }
        from = to - 1
      }
      let travel = try await invocation.timeTravel(view, path: 1)
      let changes = try await travel.changes(from: from, to: to, under: path)
      let footer = "from revision \(from) to \(to)"
      if invocation.flag("--stat") {
        statistics(of: changes).write(format, footer: footer)
      } else {
        Rows(changes, inWords: format == .table, limit: limit).write(format, footer: footer)
      }
      noteTail(of: view)
    })
}

/// Returns a row for each kind of state, with the numbers of added, changed and removed values.
private func statistics(of changes: [Change]) -> Rows {
  var counts: [String: (came: Int, changed: Int, went: Int)] = [:]
  for change in changes {
    let kind = String(change.path.prefix { $0 != "/" })
    if change.before == nil {
      counts[kind, default: (0, 0, 0)].came += 1
    } else if change.after == nil {
      counts[kind, default: (0, 0, 0)].went += 1
    } else {
      counts[kind, default: (0, 0, 0)].changed += 1
    }
  }
  var rows = Rows([.text("kind"), .number("new"), .number("changed"), .number("gone")])
  for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
    rows.add([.text(kind), .int(count.came), .int(count.changed), .int(count.went)])
  }
  return rows
}
