import Events

extension Import {
  /// What an import did. Reports are equal if they added, repeated and moved the same.
  public struct Report: Equatable, Sendable {
    public var added = 0
    /// Events that were in the log already.
    public var repeated = 0
    /// Added events whose times were moved forward.
    public var clamped = Clamped()
    /// How many of the lines read are follows, friendships, requests and blocks.
    package var ties = 0
    package var blocks = 0

    public static func == (a: Report, b: Report) -> Bool {
      (a.added, a.repeated) == (b.added, b.repeated) && a.clamped == b.clamped
    }

    mutating func note(_ type: EventType) {
      if EventTypes.block.contains(type) {
        blocks += 1
      } else if EventTypes.follow.union(.friendship).contains(type) {
        ties += 1
      }
    }
  }

  /// The id of an event, if it has one, and whether its commit ends with it.
  public struct Place: Sendable {
    public var id: EventID?
    public var endsCommit: Bool

    public init(id: EventID? = nil, endsCommit: Bool = true) {
      (self.id, self.endsCommit) = (id, endsCommit)
    }

    init(_ item: ForeignEvent) {
      self.init(id: item.new.id, endsCommit: item.batch.map { $0.index == $0.count } ?? true)
    }
  }

  /// Times that went back and were set to the time before them.
  public struct Clamped: Equatable, Sendable {
    public var count = 0
    /// The first line whose time was moved.
    public var firstLine = 0
    /// The largest move, in milliseconds, and its line.
    public var furthest: Int64 = 0
    public var furthestLine = 0

    mutating func add(_ move: Move) {
      count += 1
      if firstLine == 0 { firstLine = move.line }
      if move.by > furthest { (furthest, furthestLine) = (move.by, move.line) }
    }
  }

  struct Move {
    var line: Int
    var by: Int64
  }
}
