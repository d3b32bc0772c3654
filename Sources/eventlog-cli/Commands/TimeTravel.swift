import Events
import Projections

extension Command {
  static let paths = Command(
    name: "paths", summary: "List the pieces of state by their paths, now or as of any revision",
    arguments: "[PATH]", positionals: 0...1,
    discussion: """
      A path names a piece of state, or all those that begin with it: followers/alice.count, \
      profile/alice, relationship/alice/bob, workout/w1.totalDistance, comments/w1. An id with \
      other characters than letters, digits, _ and - is quoted: profile/"001.ab".bio.
      """,
    options: [.log, .asOf, .limit, .format, .unknown, .jobs, .cold],
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
      names ('eventlog paths --help'). A single revision R is what event R changed. A range may go \
      backwards.
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
    let text = positionals[index]
    guard let path = StatePath(text) else {
      let kind = String(text.prefix { $0 != "/" && $0 != "." })
      let near = suggestion(for: kind, among: StatePath.kinds).map { " Did you mean '\($0)'?" }
      throw .usage(
        "no path begins with \(quoted(kind)).\(near ?? "") Paths begin with "
          + StatePath.kinds.joined(separator: ", "))
    }
    return path
  }

  func pastState(_ view: LogView) throws -> PastState {
    PastState(
      view, jobs: try int("--jobs", default: coreCount(), in: 1...64),
      unknown: try unknownPolicy(), usesCheckpoints: !flag("--cold"))
  }

  /// So many rows; nil is all.
  fileprivate func rowLimit() throws(Failure) -> Int? {
    let limit = try int("--limit", default: 0, in: 0...Int(Int32.max))
    return limit == 0 ? nil : limit
  }
}

private func runPaths(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let limit = try invocation.rowLimit()
  try await writeFacts(
    invocation, view, at: revision, under: try invocation.statePath(0), format, limit: limit)
  noteTail(of: view)
}

/// Prints the pieces of state under a path.
/// - Throws: exit 1 where the path names nothing then.
func writeFacts(
  _ invocation: Invocation, _ view: LogView, at revision: UInt64, under path: StatePath?,
  _ format: Format, limit: Int?
) async throws {
  let past = try invocation.pastState(view)
  let facts: [Fact]
  do throws(LogError) {
    facts = try await past.facts(at: revision, under: path)
  } catch {
    throw Failure(error)
  }
  if let path, facts.isEmpty {
    throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
  }
  var rows = Rows([.init(name: "path", title: "PATH"), .init(name: "value", title: "VALUE")])
  for fact in facts.prefix(limit ?? .max) { rows.add([.text(fact.path), .text(fact.value)]) }
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
  let past = try invocation.pastState(view)
  let changes: [Change]
  do throws(LogError) {
    changes = try await past.changes(from: from, to: to, under: path)
  } catch {
    throw Failure(error)
  }
  let footer = "from revision \(from) to \(to)"
  if invocation.flag("--stat") {
    statistics(of: changes).write(format, footer: footer)
  } else if format == .table {
    var rows = Rows([.init(name: "path", title: "PATH"), .init(name: "change", title: "CHANGE")])
    for change in changes.prefix(limit ?? .max) {
      rows.add([.text(change.path), .text(words(change))])
    }
    rows.write(format, footer: footer)
  } else {
    var rows = Rows([
      .init(name: "path", title: "PATH"), .init(name: "before", title: "BEFORE"),
      .init(name: "after", title: "AFTER"),
    ])
    for change in changes.prefix(limit ?? .max) {
      rows.add([
        .text(change.path), change.before.map(Cell.text) ?? .null,
        change.after.map(Cell.text) ?? .null,
      ])
    }
    rows.write(format)
  }
  noteTail(of: view)
}

/// `40 → 41`, `+carol −bob`; a piece that came or went has one side.
private func words(_ change: Change) -> String {
  if let (added, removed) = change.items {
    let words = added.map { "+" + $0 } + removed.map { "−" + $0 }
    if !words.isEmpty { return words.joined(separator: " ") }
    return change.before == nil ? "→ none" : change.after == nil ? "none →" : "in another order"
  }
  switch (change.before, change.after) {
  case (let before?, let after?): return "\(before) → \(after)"
  case (nil, let after?): return "→ \(after)"
  case (let before?, nil): return "\(before) →"
  case (nil, nil): return ""
  }
}

/// How many pieces of each kind came, went and changed.
private func statistics(of changes: [Change]) -> Rows {
  var counts: [String: (came: Int, changed: Int, went: Int)] = [:]
  for change in changes {
    let kind = StatePath(change.path)?.kind ?? ""
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
