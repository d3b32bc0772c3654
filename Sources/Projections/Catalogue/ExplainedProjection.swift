import Events

/// A projection whose whole state can be addressed by paths, so that it can be compared and traced
/// back to events.
///
/// It declares the kinds of its paths, and gives the values and lists under a path. What an event
/// touches and the facts derive from these. `Views` lists the projections.
public protocol ExplainedProjection: Projection {
  /// The kinds of paths that address its state. Two projections may share a kind.
  static var kinds: [StatePath.Kind] { get }
  /// The pieces of state that an event can change, written or not. Too many is allowed, too few is
  /// not. By default every path whose kind's `sources` and `leads` lead to the event.
  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch]

  /// The pieces of state under a path, except lists; none by default.
  /// - Parameters:
  ///   - path: of one of the projection's kinds, with all its ids except perhaps the last.
  ///   - event: the last event applied. If there are many pieces, only those that it can have
  ///     changed need to be given.
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values
  /// The lists under a path of one of its kinds; none by default.
  func lists(under path: StatePath, _ names: Names) -> [StateList]
  /// The path and value of every piece of state after `settle`, in any order. By default the values
  /// and lists under the paths of each kind whose first id is one of an event.
  /// - Complexity: O(state).
  func facts(_ names: Names) -> [Fact]
  /// Encodes the state after `settle` to a checkpoint, or decodes it from one.
  mutating func code(with coder: inout StateCoder)
  /// Describes the first invariant that does not hold after `settle`; nil if all hold.
  /// - Complexity: O(state).
  func brokenInvariant(_ names: Names) -> String?
}

extension ExplainedProjection {
  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    [.kinds(kinds)]
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values()
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }

  public func facts(_ names: Names) -> [Fact] {
    Self.kinds.flatMap { kind -> [Fact] in
      guard let ids = kind.idNames.first.flatMap({ NamedID.Kind(rawValue: $0)?.ids }) else {
        return []
      }
      return names.all(of: ids).flatMap { id -> [Fact] in
        let path = StatePath(kind: kind, ids: [id])
        return values(under: path, after: nil, names).facts
          + lists(under: path, names).compactMap { $0.fact }
      }
    }
  }

  public mutating func codeParts(with coder: inout StateCoder) {
    coder.part(Self.name, version: Self.version) { code(with: &$0) }
  }
}

/// Pieces of state under a path.
public struct Values {
  public var facts: [Fact]
  /// Whether these are all the pieces, not only those that an event can have changed.
  public var isWhole: Bool

  public init(_ facts: [Fact] = [], isWhole: Bool = true) {
    (self.facts, self.isWhole) = (facts, isWhole)
  }

  /// One piece, or none.
  init(_ fact: Fact?) { self.init(fact.map { [$0] } ?? []) }
}

/// What an event can change, or where to look for it.
public enum Touch {
  /// Pieces of state of one kind, by ids as they appear in the log.
  case path(StatePath.Kind, [String])
  /// Every path of these kinds whose `sources` and `leads` lead to the event.
  case kinds([StatePath.Kind])
  /// What each event at the positions in a list of the index touches.
  case each(EventIndex.Key, (Event) -> [Touch])
}

extension Touch {
  static func path(_ kind: StatePath.Kind, _ id: some DenseID, _ names: Names) -> Touch {
    .path(kind, [names[id]])
  }
}

/// A list in the state of a projection, oldest item first, with a number as the key of each item.
public struct StateList {
  var path: String
  var count: Int
  var key: (Int) -> UInt64
  var name: (UInt64) -> String
  /// Whether a list of users has a given one, so that only the users that an event names need be
  /// checked for changes. Nil for other lists.
  var has: ((UserID) -> Bool)?
  /// Whether its fact has the newest item first.
  var isNewestFirst = true
  /// Whether items may change places without coming or going.
  var mayReorder = false
  /// Whether the items' names are sentences, which are kept for items that have left the list.
  var isOfSentences = false
  /// The keys of items that are in the list but not shown.
  var hidden: () -> [UInt64] = { [] }

  /// A list of users, newest first.
  init(_ path: String, _ users: Users, _ names: Names, has: @escaping (UserID) -> Bool) {
    self.init(
      path, count: users.count, key: { UInt64(users[users.count - 1 - $0].index) },
      name: { names[UserID(index: UInt32($0))] })
    self.has = has
  }

  /// A list of different users, oldest first.
  public init(_ path: String, _ users: [UserID], _ names: Names) {
    self.init(path, ids: users, names)
  }

  /// A list of different ids, oldest first.
  init<ID: DenseID>(_ path: String, ids: some RandomAccessCollection<ID>, _ names: Names) {
    self.init(
      path, count: ids.count, key: { UInt64(ids[ids.index(ids.startIndex, offsetBy: $0)].index) },
      name: { names[ID(index: UInt32($0))] })
  }

  /// - Parameters:
  ///   - key: the key of an item, by its index; no two items have the same.
  ///   - name: the name of an item, by its key.
  public init(
    _ path: String, count: Int, key: @escaping (Int) -> UInt64, name: @escaping (UInt64) -> String
  ) {
    (self.path, self.count, self.key, self.name) = (path, count, key, name)
  }
}
