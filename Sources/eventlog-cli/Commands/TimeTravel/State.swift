import Events
import Projections

extension Command {
  static let paths = Command(
    name: "paths", summary: "List the pieces of state by their paths, now or as of any revision",
    arguments: "[PATH]", positionals: 0...1,
    discussion: """
      A PATH names a piece of state, or all those that begin with it. With U and V users, W a \
      workout, C a comment and H a handle:

        profile/U.MEMBER           what the profile shows: .bio, .sports.running.level
        handle/H                   who has the handle
        followers/U, following/U   who, newest first; .count is how many
        friends/U                  who, newest first
        requests/U, pending/U      whom U has asked to be friends, who has asked U
        relationship/U/V           friends, requestSent or requestReceived
        workouts/U                 U's workouts, the latest first
        workout/W.MEMBER           what was shared: .owner, .totalDistance, .text
        chups/W, chups/W.big       who liked it, and who very much, newest first
        comments/W                 its comments, oldest first
        comment/C.MEMBER           .text, .user, .replyTo; .hearts is who liked it
        leaderboard/week/DATE/U    metres in the week of the Monday DATE
        leaderboard/month/MONTH/U  metres in the month, such as 2026-01
        notifications/U            what U is told of, newest first
        search/U                   what a search for profiles looks at

      Whom or what a path names has to be in the log, at whatever revision. An id with other \
      characters than letters, digits, _ and - is quoted: profile/"001.ab".bio. With --complete, \
      PATH may be the beginning of a path or nothing.
      """,
    options: [
      .log, .asOf, .flag("--complete", "What PATH may go on with, for shells."), .limit, .format,
      .unknown, .jobs, .cold,
    ],
    examples: [
      Example(command: "eventlog paths profile/lena", help: "All that lena's profile says."),
      Example(
        command: "eventlog paths followers/lena.count --as-of 50%",
        help: "How many followed lena, half-way."),
    ],
    run: { try await runPaths($0) })

  static let diff = Command(
    name: "diff", summary: "Show what differs between two revisions, over all projections",
    arguments: "A..B [PATH]", positionals: 1...2,
    discussion: """
      Compares the state after B with the state after A, piece by piece; with a PATH only what it \
      names. A single revision R is what event R changed. A range may go backwards.

      \(pathHelp)
      """,
    options: [
      .log, .flag("--stat", "How many pieces of each kind, instead of the pieces."), .limit,
      .format, .unknown, .jobs, .cold,
    ],
    examples: [
      Example(command: "eventlog diff HEAD~3..HEAD", help: "What the last three events changed."),
      Example(
        command: "eventlog diff @2026-02-01.. followers/lena", help: "Since February, for lena."),
      Example(command: "eventlog diff 0..HEAD --stat", help: "All there is, in numbers."),
    ],
    run: { try await runDiff($0) })
}

extension Invocation {
  /// The path that a positional argument names.
  func statePath(_ index: Int) throws(Failure) -> StatePath? {
    guard positionals.count > index else { return nil }
    return try Self.path(positionals[index])
  }

  static func path(_ text: String) throws(Failure) -> StatePath {
    do throws(StatePath.Fault) {
      return try StatePath(text)
    } catch {
      throw Failure(error, in: text)
    }
  }

  /// Opens the index of a log; one that took long to make is left behind as a checkpoint.
  func timeTravel(_ view: LogView) async throws -> TimeTravel {
    if let session { return session.travel }
    let bar = Progress(label: "index", total: view.size, unit: "bytes")
    let travel = TimeTravel(
      view, jobs: try int("--jobs", default: coreCount(), in: 1...64),
      unknown: try unknownPolicy(), usesCheckpoints: !flag("--cold")
    ) { done, total in bar.update(done, of: total) }
    let began = monotonicSeconds()
    do throws(LogError) {
      var index = try await travel.open()
      bar.finish()
      noteSkipped(index.skipped)
      if !flag("--cold"), monotonicSeconds() - began > longReplay { _ = try? index.save(view) }
    } catch {
      throw Failure(error)
    }
    return travel
  }

  /// Refuses what names nobody who occurs in the log, with the one who was probably meant.
  func check(
    _ ids: [NamedID], in text: String, _ travel: TimeTravel
  ) async throws(Failure) {
    let unknown = try await asking { () throws(LogError) in
      try await travel.firstUnknown(among: ids)
    }
    guard let unknown else { return }
    let candidates = try await asking { () throws(LogError) in
      try await travel.candidates(for: unknown)
    }
    let near = suggestion(for: unknown.id, among: candidates)
    throw Failure(
      .usage,
      "character \(unknown.offset + 1): the log has no \(unknown.kind.rawValue.lowercased()) "
        + quoted(unknown.id) + (near.map { "; did you mean '\($0)'?" } ?? ""),
      excerpt: (text, unknown.offset))
  }

  /// Refuses a positional path that names nobody who occurs in the log.
  func checkPath(_ index: Int, _ travel: TimeTravel) async throws(Failure) {
    guard positionals.count > index else { return }
    try await check(StatePath.ids(in: positionals[index]), in: positionals[index], travel)
  }

  /// The path that a positional argument names, of one user, workout, comment or handle.
  func pathOfOne(_ index: Int) throws(Failure) -> StatePath {
    guard let path = try statePath(index) else { throw .usage("a path is missing") }
    guard path.isOfOne else {
      throw .usage(
        "\(quoted(path.text)) is the state of many; say whose: \(path.kind.rawValue)/"
          + path.kind.idNames.joined(separator: "/"))
    }
    return path
  }

  /// So many rows; nil is all.
  func rowLimit() throws(Failure) -> Int? {
    let limit = try int("--limit", default: 0, in: 0...Int(Int32.max))
    return limit == 0 ? nil : limit
  }
}

private func runPaths(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  if invocation.flag("--complete") {
    let travel = try await invocation.timeTravel(view)
    let words = try await asking { () throws(LogError) in
      try await travel.completions(of: invocation.positionals.first ?? "")
    }
    for word in words { Output.line(word) }
    return
  }
  let revision = try invocation.revision("--as-of", in: view)
  let limit = try invocation.rowLimit()
  try await writeFacts(invocation, view, at: revision, path: 0, format, limit: limit)
  noteTail(of: view)
}

/// Prints the pieces of state under the path that a positional argument names.
/// - Throws: exit 1 where the path names nothing then.
func writeFacts(
  _ invocation: Invocation, _ view: LogView, at revision: UInt64, path index: Int,
  _ format: Format, limit: Int?
) async throws {
  let path = try invocation.statePath(index)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(index, travel)
  let facts = try await asking { () throws(LogError) in
    try await travel.facts(at: revision, under: path)
  }
  if let path, facts.isEmpty {
    throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
  }
  var rows = Rows([.init(name: "path", title: "PATH"), .init(name: "value", title: "VALUE")])
  for fact in facts.prefix(limit ?? .max) { rows.add([.text(fact.path), Cell(fact.value)]) }
  rows.write(format, footer: "as of revision \(revision)")
}

private func runDiff(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let limit = try invocation.rowLimit()
  let path = try invocation.statePath(1)
  let view = try invocation.openLog()
  var (from, to) = try invocation.range(in: view)
  if !invocation.positionals[0].contains("..") {
    if to == 0 { throw Failure.usage("revision 0 is the empty log: no event changed it") }
    from = to - 1
  }
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(1, travel)
  let (after, until) = (from, to)
  let changes = try await asking { () throws(LogError) in
    try await travel.changes(from: after, to: until, under: path)
  }
  let footer = "from revision \(from) to \(to)"
  if invocation.flag("--stat") {
    statistics(of: changes).write(format, footer: footer)
  } else {
    writeChanges(changes, format, limit: limit, footer: footer)
  }
  noteTail(of: view)
}

/// Prints what differs: for people in words, for programs before and after.
func writeChanges(_ changes: [Change], _ format: Format, limit: Int?, footer: String) {
  var rows = Rows(
    [.init(name: "path", title: "PATH")]
      + (format == .table
        ? [.init(name: "change", title: "CHANGE")]
        : [.init(name: "before", title: "BEFORE"), .init(name: "after", title: "AFTER")]))
  for change in changes.prefix(limit ?? .max) {
    rows.add(
      format == .table
        ? [.text(change.path), .text(words(change))]
        : [
          .text(change.path), change.before.map(Cell.init) ?? .null,
          change.after.map(Cell.init) ?? .null,
        ])
  }
  rows.write(format, footer: footer)
}

/// `40 → 41`, `+carol −bob`; a piece that came or went has one side.
private func words(_ change: Change) -> String {
  if let (added, removed) = change.items {
    let words = added.map { "+" + $0 } + removed.map { "−" + $0 }
    if !words.isEmpty { return words.joined(separator: " ") }
    return change.before == nil ? "→ none" : change.after == nil ? "none →" : "in another order"
  }
  switch (change.before, change.after) {
  case (let before?, let after?): return "\(before.words) → \(after.words)"
  case (nil, let after?): return "→ \(after.words)"
  case (let before?, nil): return "\(before.words) →"
  case (nil, nil): return ""
  }
}

/// How many pieces of each kind came, went and changed.
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
  var rows = Rows([
    .init(name: "kind", title: "KIND"), .init(name: "new", title: "NEW", alignment: .right),
    .init(name: "changed", title: "CHANGED", alignment: .right),
    .init(name: "gone", title: "GONE", alignment: .right),
  ])
  for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
    rows.add([.text(kind), .int(count.came), .int(count.changed), .int(count.went)])
  }
  return rows
}

extension Failure {
  /// A path or an expression that is none, with a mark below the character where it goes wrong.
  init(_ fault: StatePath.Fault, in text: String) {
    let near = suggestion(for: fault.found, among: fault.choices).map { "; did you mean '\($0)'?" }
    let choices =
      fault.choices.isEmpty ? "" : ": there are " + fault.choices.joined(separator: ", ")
    self.init(
      .usage, "character \(fault.offset + 1): \(fault.description)\(near ?? choices)",
      excerpt: (text, fault.offset))
  }
}

extension Cell {
  init(_ value: JSONValue) {
    switch value {
    case .array: self = .list(value)
    case .string(let text): self = .text(text)
    case .number(let text): self = Int(text).map(Cell.int) ?? .json(text)
    // As conditions have it, not the yes and no of answers.
    case .bool: self = .json(value.text)
    default: self = .json(value.text)
    }
  }
}
