extension Subcommand {
  static let refusals = Subcommand(
    name: "refusals", summary: "List refused commands, from the journal of a server",
    discussion: """
      'eventlog serve --refusals' keeps a journal of the commands that were refused: time, caller, \
      use case, the ids in the input, code, the position after which the command was decided, and \
      the id of the request. It keeps no texts. Prints the newest first; all conditions must hold.

      The journal is in the folder refusals of the log, at most 64 MiB; then it loses the oldest. \
      'eventlog why-not --refusal N' explains refusal N.
      """,
    options: [
      .log,
      .value("--user", "USER", "Only commands by this user, or with this user's id in the input."),
      .value("--code", "CODE", "Only refusals with this code, such as blocked."),
      .value("--since", "TIME", "Only refusals at or after this time."),
      .flag("--summary", "Count by use case and code instead; the most frequent first."),
      .limit, .format,
    ],
    examples: [
      "eventlog refusals --log my.log --since 2026-01-31": "Everything since that day.",
      "eventlog refusals --log my.log --user ann --summary": "The obstacles that ann meets.",
    ],
    run: { invocation in
      let format = try invocation.format()
      let since = try invocation.time("--since") ?? .earliest
      let (user, code) = (invocation.value("--user"), invocation.value("--code"))
      let limit = try invocation.rowLimit() ?? .max
      let refused = try invocation.refusals().filter { command in
        command.time >= since && code.map { $0 == command.code } ?? true
          && user.map { command.names($0) } ?? true
      }
      let isSummary = invocation.flag("--summary")
      let rows = isSummary ? totals(of: refused, limit) : list(of: refused.suffix(limit))
      rows.write(format)
    })
}

extension Invocation {
  /// Returns the commands in the log's journal of refusals.
  func refusals() throws -> [RefusedCommand] {
    let path = readPath
    let found = try RefusalJournal.read(log: path)
    if found.isEmpty {
      Output.remark(
        "note: \(path) has no journal of refusals; 'eventlog serve --refusals' keeps one")
    }
    return found
  }
}

extension RefusedCommand {
  fileprivate func names(_ user: String) -> Bool {
    guard case .object(let fields) = input else { return caller == user }
    return caller == user || fields.contains { $0.value == .string(user) }
  }
}

private func list(of refused: ArraySlice<RefusedCommand>) -> Rows {
  var rows = Rows([
    .number("n", "N"), .text("time"), .text("as", "CALLER"), .text("do", "USE CASE"),
    .text("with", "INPUT"), .text("code"), .number("position", "AFTER EVENT"),
    .text("correlation", "REQUEST"),
  ])
  for command in refused.reversed() {
    rows.add([
      .optional(command.number), .text("\(command.time)"), .optional(command.caller),
      .text(command.useCase), .list(command.input), .text(command.code),
      .optional(command.position), .optional(command.correlation?.text),
    ])
  }
  return rows
}

private func totals(of refused: [RefusedCommand], _ limit: Int) -> Rows {
  var rows = Rows([
    .number("count"), .text("do", "USE CASE"), .text("code"), .number("callers"),
    .text("first"), .text("last"),
  ])
  let groups = Dictionary(grouping: refused) { "\($0.useCase) \($0.code)" }
  let sorted = groups.sorted { $0.key < $1.key }.sorted { $0.value.count > $1.value.count }
  for (_, commands) in sorted.prefix(limit) {
    rows.add([
      .int(commands.count), .text(commands[0].useCase), .text(commands[0].code),
      .int(Set(commands.map(\.caller)).count), .text("\(commands[0].time)"),
      .text("\(commands[commands.count - 1].time)"),
    ])
  }
  return rows
}
