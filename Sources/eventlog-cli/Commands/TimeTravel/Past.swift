import Events
import Projections

extension Command {
  static let history = Command(
    name: "history", summary: "Show every value that a piece of state ever had, and through whom",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints what changed under a PATH, oldest first, with the event that changed it and who \
      acted: of a list what came to it (+) and what left it (−).

      \(pathHelp)
      """,
    options: pastOptions,
    examples: [
      Example(command: "eventlog history followers/lena.count", help: "How the number went."),
      Example(
        command: "eventlog history relationship/alice/bob",
        help: "How these two became what they are."),
      Example(command: "eventlog history handle/lena", help: "Who has had the handle."),
    ],
    run: { try await runHistory($0) })

  static let blame = Command(
    name: "blame",
    summary: "Show who last set each member of a piece of state, as 'git blame' does",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints each member under a PATH as it is now, or as of a revision, with the event that last \
      set it; of a list each item with the event that put it there.

      \(pathHelp)
      """,
    options: pastOptions,
    examples: [
      Example(command: "eventlog blame profile/lena", help: "Who set what of lena's profile."),
      Example(
        command: "eventlog blame followers/lena --limit 5", help: "The last five that came."),
    ],
    run: { try await runBlame($0) })

  static let why = Command(
    name: "why", summary: "Show every event that makes a value what it is",
    arguments: "PATH", positionals: 1...1,
    discussion: """
      Prints the events that the one value at PATH comes from, and what each has to do with it:

        counts     it set the value; of a count or a list, an item that is there
        undone     it set what another event undid or replaced since
        undoes     it undid what was there
        condition  without it, others would have come to something else
        nothing    it changed nothing: a repeat, as a rule

      \(pathHelp)
      """,
    options: pastOptions + [
      .value("--role", "ROLE", "Only events of this role; may be given again.", repeats: true)
    ],
    examples: [
      Example(command: "eventlog why followers/lena.count", help: "Why it is that number."),
      Example(
        command: "eventlog why followers/lena.count --role nothing",
        help: "The events that somebody may have taken for a change."),
      Example(
        command: "eventlog why profile/lena.bio --as-of HEAD~20", help: "Why it was what it was."),
    ],
    run: { try await runWhy($0) })
}

private let pastOptions: [Option] = [.log, .asOf, .limit, .format, .unknown, .jobs, .cold]

extension Timeline.Cause {
  /// Position, time, actor and type, as cells.
  var cells: [Cell] {
    [.int(Int(seq)), .text("\(time)"), .text(actor), .text(type.name)]
  }

  static let columns: [Rows.Column] = [
    .init(name: "seq", title: "EVENT", alignment: .right), .init(name: "time", title: "TIME"),
    .init(name: "actor", title: "ACTOR"), .init(name: "type", title: "TYPE"),
  ]
}

/// Asks, and turns an error of the log into the command's failure.
func asking<T: Sendable>(_ body: () async throws(LogError) -> T) async throws(Failure) -> T {
  do throws(LogError) {
    return try await body()
  } catch {
    throw Failure(error)
  }
}

private func runHistory(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let path = try invocation.pathOfOne(0)
  let limit = try invocation.rowLimit()
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(0, travel)
  let timeline = try await asking { () throws(LogError) in
    try await travel.timeline(of: path, until: revision)
  }
  if timeline.steps.isEmpty {
    throw Failure(.refused, "nothing was ever at \(quoted(path.text)) up to revision \(revision)")
  }
  let isOne = path.type != nil
  var rows = Rows(
    Timeline.Cause.columns + (isOne ? [] : [.init(name: "path", title: "PATH")])
      + (format == .table
        ? [.init(name: "change", title: "CHANGE")]
        : [
          .init(name: "before", title: ""), .init(name: "after", title: ""),
          .init(name: "added", title: ""), .init(name: "removed", title: ""),
        ]))
  // The last ones, which are the nearest to what is now.
  var left = limit ?? .max
  steps: for step in timeline.steps.reversed() {
    for change in step.pieces.reversed() {
      if left == 0 { break steps }
      left -= 1
      rows.add(
        step.event.cells + (isOne ? [] : [.text(change.path)])
          + (format == .table ? [.text(change.words)] : change.cells))
    }
  }
  rows.rows.reverse()
  rows.write(format, footer: "as of revision \(revision)")
  noteTail(of: view)
}

extension Timeline.Step {
  /// A change of one piece: a value, or items of a list.
  struct Piece {
    var path: String
    var words: String
    /// Before, after, added, removed.
    var cells: [Cell]
  }

  var pieces: [Piece] {
    func texts(_ items: [String]) -> Cell { .list(.array(items.map { .string($0) })) }
    let listed = lists.map { list in
      let before = list.count - list.added.count + list.removed.count
      return Piece(
        path: list.path, words: list.words + "  (\(list.count))",
        cells: [.int(before), .int(list.count), texts(list.added), texts(list.removed)])
    }
    let valued = values.map { value in
      Piece(
        path: value.path,
        words: value.words,
        cells: [
          value.before.map(Cell.init) ?? .null, value.after.map(Cell.init) ?? .null, .null, .null,
        ])
    }
    return (listed + valued).sorted { $0.path < $1.path }
  }
}

private func runBlame(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let path = try invocation.pathOfOne(0)
  let limit = try invocation.rowLimit()
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(0, travel)
  let blames = try await asking { () throws(LogError) in
    try await travel.timeline(of: path, until: revision).blame()
  }
  if blames.isEmpty {
    throw Failure(.refused, "nothing at \(quoted(path.text)) as of revision \(revision)")
  }
  var rows = Rows(
    Timeline.Cause.columns + [
      .init(name: "path", title: "PATH"), .init(name: "value", title: "VALUE"),
    ])
  for blame in blames.prefix(limit ?? .max) {
    rows.add(blame.event.cells + [.text(blame.path), Cell(blame.value)])
  }
  rows.write(format, footer: "as of revision \(revision)")
  noteTail(of: view)
}

private func runWhy(_ invocation: Invocation) async throws {
  let format = try invocation.format()
  let path = try invocation.pathOfOne(0)
  guard path.type != nil else {
    throw Failure.usage(
      "why takes a path of one value, such as \(path.text).MEMBER; "
        + "'eventlog paths \(path.text)' lists those there are")
  }
  let limit = try invocation.rowLimit()
  let roles = try invocation.values("--role").map { text throws(Failure) in
    guard let role = Why.Role(rawValue: text) else {
      throw Failure.usage(
        "--role takes \(Why.Role.allCases.map(\.rawValue).joined(separator: ", ")), "
          + "not \(quoted(text))")
    }
    return role
  }
  let view = try invocation.openLog()
  let revision = try invocation.revision("--as-of", in: view)
  let travel = try await invocation.timeTravel(view)
  try await invocation.checkPath(0, travel)
  let why = try await asking { () throws(LogError) in try await travel.why(path, at: revision) }
  if why.value == nil, why.reasons.isEmpty {
    throw Failure(.refused, "nothing was ever at \(quoted(path.text)) up to revision \(revision)")
  }
  why.rows(roles, limit: limit).write(format, footer: why.footer(revision))
  noteTail(of: view)
}

extension Why {
  /// The events of some roles, or of all if none is given: the last ones, which are the nearest to
  /// what is now.
  func rows(_ roles: [Role] = [], limit: Int?) -> Rows {
    var rows = Rows(
      [.init(name: "role", title: "ROLE")] + Timeline.Cause.columns + [
        .init(name: "change", title: "CHANGE"),
        .init(name: "undoneBy", title: "UNDONE BY", alignment: .right),
        .init(name: "cause", title: "CAUSE"),
      ])
    let shown = reasons.filter { roles.isEmpty || roles.contains($0.role) }
    for reason in shown.suffix(limit ?? .max) {
      rows.add(
        [.text(reason.role.rawValue)] + reason.event.cells + [
          .text(reason.what.isEmpty ? reason.event.names.joined(separator: " ") : reason.what),
          reason.undoneBy.map { .int(Int($0)) } ?? .null,
          reason.causedBy.map { .int(Int($0)) }
            ?? reason.event.cause.map { .text("\($0)") } ?? .null,
        ])
    }
    return rows
  }

  /// The value, and how many events of each role there are.
  func footer(_ revision: UInt64) -> String {
    let counts = Role.allCases.compactMap { role -> String? in
      let count = reasons.count { $0.role == role }
      return count == 0 ? nil : "\(grouped(count)) \(role.rawValue)"
    }
    let value = value.map { $0.words } ?? "none"
    return "\(path.text) is \(truncated(sanitized(value), to: 60)) as of revision \(revision): "
      + counts.joined(separator: ", ")
  }
}
