import Projections

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
