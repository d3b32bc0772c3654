import Events
import Projections

extension Timeline.Cause {
  /// Position, time, actor and type.
  public var cells: [Cell] {
    [.int(Int(seq)), .text("\(time)"), .text(actor), .text(type.name)]
  }

  public static let columns: [Rows.Column] = [
    .init(name: "seq", title: "EVENT", alignment: .right), .init(name: "time", title: "TIME"),
    .init(name: "actor", title: "ACTOR"), .init(name: "type", title: "TYPE"),
  ]
}

extension Timeline.Step {
  /// A change of one piece: a value, or items of a list.
  public struct Piece {
    public var path: String
    public var words: String
    /// Before, after, added, removed.
    public var cells: [Cell]
  }

  /// What it changed, sorted by path.
  public var pieces: [Piece] {
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
          value.before.map { Cell($0) } ?? .null, value.after.map { Cell($0) } ?? .null, .null,
          .null,
        ])
    }
    return (listed + valued).sorted { $0.path < $1.path }
  }
}

extension Timeline {
  /// What changed, oldest first, with the event that changed it: what `history` answers.
  /// - Parameters:
  ///   - inWords: for people, one column of words instead of before, after, added and removed.
  ///   - limit: only the last ones, which are nearest to the present.
  public func rows(inWords: Bool = false, limit: Int? = nil) -> Rows {
    let isOne = path.type != nil
    var rows = Rows(
      Cause.columns + (isOne ? [] : [.init(name: "path", title: "PATH")])
        + (inWords
          ? [.init(name: "change", title: "CHANGE")]
          : [
            .init(name: "before", title: ""), .init(name: "after", title: ""),
            .init(name: "added", title: ""), .init(name: "removed", title: ""),
          ]))
    var left = limit ?? .max
    steps: for step in steps.reversed() {
      for change in step.pieces.reversed() {
        if left == 0 { break steps }
        left -= 1
        rows.add(
          step.event.cells + (isOne ? [] : [.text(change.path)])
            + (inWords ? [.text(change.words)] : change.cells))
      }
    }
    rows.rows.reverse()
    return rows
  }

  /// Everything there is after the last step, with the event that last set it: what `blame`
  /// answers.
  public func blameRows(limit: Int? = nil) -> Rows {
    var rows = Rows(
      Cause.columns + [
        .init(name: "path", title: "PATH"), .init(name: "value", title: "VALUE"),
      ])
    for blame in blame().prefix(limit ?? .max) {
      rows.add(blame.event.cells + [.text(blame.path), Cell(blame.value)])
    }
    return rows
  }
}

extension Rows {
  /// Pieces of state: what `paths` and `show R PATH` answer.
  public init(_ facts: [Fact], limit: Int? = nil) {
    self.init([.init(name: "path", title: "PATH"), .init(name: "value", title: "VALUE")])
    for fact in facts.prefix(limit ?? .max) { add([.text(fact.path), Cell(fact.value)]) }
  }

  /// Differences: what `diff` answers.
  /// - Parameter inWords: for people, one column of words instead of before and after.
  public init(_ changes: [Change], inWords: Bool = false, limit: Int? = nil) {
    self.init(
      [.init(name: "path", title: "PATH")]
        + (inWords
          ? [.init(name: "change", title: "CHANGE")]
          : [.init(name: "before", title: "BEFORE"), .init(name: "after", title: "AFTER")]))
    for change in changes.prefix(limit ?? .max) {
      add(
        [.text(change.path)]
          + (inWords
            ? [.text(change.asWords)]
            : [
              change.before.map { Cell($0) } ?? .null, change.after.map { Cell($0) } ?? .null,
            ]))
    }
  }

  /// Where a condition turns: what `watch` answers.
  /// - Parameter inWords: for people, true and false instead of yes and no.
  public init(_ turns: [Expression.Turn], inWords: Bool = false, limit: Int? = nil) {
    self.init(Timeline.Cause.columns + [.init(name: "becomes", title: "BECOMES")])
    for turn in turns.prefix(limit ?? .max) {
      let becomes: Cell =
        inWords ? .text(turn.becomes ? "true" : "false") : .bool(turn.becomes)
      add(turn.event.cells + [becomes])
    }
  }
}

extension Change {
  /// `40 → 41`, `+carol −bob`; a piece that was added or removed has one side.
  fileprivate var asWords: String {
    if let (added, removed) = items {
      let words = added.map { "+" + $0 } + removed.map { "−" + $0 }
      if !words.isEmpty { return words.joined(separator: " ") }
      return before == nil ? "→ none" : after == nil ? "none →" : "in another order"
    }
    switch (before, after) {
    case (let before?, let after?): return "\(before.words) → \(after.words)"
    case (nil, let after?): return "→ \(after.words)"
    case (let before?, nil): return "\(before.words) →"
    case (nil, nil): return ""
    }
  }
}

extension Why {
  /// The events with certain roles, or all if none is given.
  /// - Parameter limit: only the last ones, which are nearest to the present.
  public func rows(_ roles: [Role] = [], limit: Int? = nil) -> Rows {
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
}
