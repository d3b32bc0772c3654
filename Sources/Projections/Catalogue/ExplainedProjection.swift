import Events

/// A projection whose whole state can be addressed by paths, so that it can be compared and traced
/// back to events.
///
/// It declares its paths, which events lead to them, and what an event can change. None of this has
/// a default, so a projection that omits some of it does not compile. `Views` lists the
/// projections.
public protocol ExplainedProjection: Projection {
  /// The kinds of paths that address its state. Two projections may share a kind.
  static var kinds: [StatePath.Kind] { get }
  /// The pieces of state that an event can change, written or not. Too many is allowed, too few is
  /// not.
  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch]

  /// The pieces of state under a path, except lists.
  /// - Parameters:
  ///   - path: of one of the projection's kinds, with all its ids except perhaps the last.
  ///   - event: the last event applied. Where there are many pieces, only those that it can have
  ///     changed need to be given.
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values
  /// The lists under a path of one of its kinds.
  func lists(under path: StatePath, _ names: Names) -> [StateList]
  /// The path and value of every piece of state after `settle`, in any order.
  /// - Complexity: O(state).
  func facts(_ names: Names) -> [Fact]
  /// Encodes the state after `settle` to a checkpoint, or decodes it from one.
  mutating func code(with coder: inout StateCoder)
  /// Describes the first invariant that does not hold after `settle`; nil if all hold.
  func brokenInvariant(_ names: Names) -> String?
}

extension ExplainedProjection {
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
}

/// What an event can change, or where to look for it.
public enum Touch {
  /// Pieces of state of one kind, by ids as they appear in the log.
  case path(StatePath.Kind, [String])
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
  /// Whether a list of users has a given one: lets changes be found by checking only the users that
  /// an event names. Nil for other lists.
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
    self.init(
      path, count: users.count, key: { UInt64(users[$0].index) },
      name: { names[UserID(index: UInt32($0))] })
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
