import Events

extension Timeline.Cause {
  /// The cells of the event's position, time, actor and type.
  package var cells: [Cell] { [.int(Int(seq)), .text("\(time)"), .text(actor), .text(type.name)] }

  package static let columns: [Rows.Column] = [
    .number("seq", "EVENT"), .text("time"), .text("actor"), .text("type"),
  ]
}

extension Timeline.Step {
  /// The change of one value, or the change of the items of one list.
  package struct Piece {
    package var path: String
    package var words: String
    /// The cells of the values before and after, and of the items added and removed.
    package var cells: [Cell]
  }

  /// The changes made by the step's event, sorted by path.
  package var pieces: [Piece] {
    func texts(_ items: [String]) -> Cell { .list(.array(items.map { .string($0) })) }
    let listed = lists.map { list in
      let before = list.count - list.added.count + list.removed.count
      return Piece(
        path: list.path, words: list.words + "  (\(list.count))",
        cells: [.int(before), .int(list.count), texts(list.added), texts(list.removed)])
    }
    let valued = values.map { value in
      Piece(
        path: value.path, words: value.words,
        cells: [.optional(value.before), .optional(value.after), .null, .null])
    }
    return (listed + valued).sorted { $0.path < $1.path }
  }
}

extension Timeline {
  /// Returns the rows of `history`: each change, oldest first, with the event that caused it.
  /// - Parameters:
  ///   - inWords: Whether one column of text replaces the columns before, after, added and removed.
  ///   - limit: The number of changes to return, counted from the last; nil returns all.
  package func rows(inWords: Bool = false, limit: Int? = nil) -> Rows {
    let isOne = path.type != nil
    let change: [Rows.Column] =
      inWords
      ? [.text("change")]
      : [.text("before", ""), .text("after", ""), .text("added", ""), .text("removed", "")]
    var rows = Rows(Cause.columns + (isOne ? [] : [.text("path")]) + change)
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

  /// Returns the rows of `blame`: each value and list item after the last step, with the event that
  /// last set it.
  package func blameRows(limit: Int? = nil) -> Rows {
    var rows = Rows(Cause.columns + [.text("path"), .text("value")])
    for blame in blame().prefix(limit ?? .max) {
      rows.add(blame.event.cells + [.text(blame.path), Cell(blame.value)])
    }
    return rows
  }
}

extension Rows {
  /// Creates the rows of `paths` and `show R PATH`.
  package init(_ facts: [Fact], limit: Int? = nil) {
    self.init([.text("path"), .text("value")])
    for fact in facts.prefix(limit ?? .max) { add([.text(fact.path), Cell(fact.value)]) }
  }

  /// Creates the rows of `diff`.
  /// - Parameter inWords: Whether one column of text replaces the columns before and after.
  package init(_ changes: [Change], inWords: Bool = false, limit: Int? = nil) {
    let columns: [Column] = inWords ? [.text("change")] : [.text("before"), .text("after")]
    self.init([.text("path")] + columns)
    for change in changes.prefix(limit ?? .max) {
      let cells: [Cell] =
        inWords ? [.text(change.asWords)] : [.optional(change.before), .optional(change.after)]
      add([.text(change.path)] + cells)
    }
  }

  /// Creates the rows of `watch`: the events at which a condition becomes true or false.
  /// - Parameter inWords: Whether to write “true” and “false” instead of “yes” and “no”.
  package init(_ turns: [Expression.Turn], inWords: Bool = false, limit: Int? = nil) {
    self.init(Timeline.Cause.columns + [.text("becomes")])
    for turn in turns.prefix(limit ?? .max) {
      let becomes: Cell =
        inWords ? .text(turn.becomes ? "true" : "false") : .bool(turn.becomes)
      add(turn.event.cells + [becomes])
    }
  }
}

extension Change {
  /// The change: `40 → 41`, `→ 41` (added), `40 →` (removed), or `+carol −bob` for a list.
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
  /// Returns the rows of `why` for the events with these roles; for all events if `roles` is empty.
  /// - Parameter limit: The number of rows to return, counted from the last; nil returns all.
  package func rows(_ roles: [Role] = [], limit: Int? = nil) -> Rows {
    var rows = Rows(
      [.text("role")] + Timeline.Cause.columns + [
        .text("change"), .number("undoneBy", "UNDONE BY"), .text("cause"),
      ])
    let shown = reasons.filter { roles.isEmpty || roles.contains($0.role) }
    for reason in shown.suffix(limit ?? .max) {
      rows.add(
        [.text(reason.role.rawValue)] + reason.event.cells + [
          .text(reason.what.isEmpty ? reason.event.names.joined(separator: " ") : reason.what),
          .optional(reason.undoneBy),
          reason.causedBy.map { .int(Int($0)) } ?? .optional(reason.event.cause.map { "\($0)" }),
        ])
    }
    return rows
  }
}
