import Events

/// A projection whose state has paths, so that values can be compared and traced back to events.
///
/// The projection declares the kinds of its paths and returns the values and lists under a path. By
/// default, `touches` and `facts` are derived from these. `Views` lists the standard projections.
public protocol ExplainedProjection: Projection {
  /// The kinds of the paths to the projection's state. Two projections may share a kind.
  static var kinds: [StatePath.Kind] { get }
  /// Returns the parts of the state that an event can change.
  ///
  /// The result may contain too many parts but never too few. The default is every path whose
  /// kind's `sources` and `leads` lead to the event.
  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch]

  /// Returns the values under a path, except lists; none by default.
  /// - Parameters:
  ///   - path: A path of one of the projection's kinds, with all its ids except perhaps the last.
  ///   - event: The last event applied. If there are many values, it is enough to return those that
  ///     this event can have changed.
  ///   - names: The table that maps dense ids to their texts.
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values
  /// Returns the lists under a path of one of the projection's kinds; none by default.
  func lists(under path: StatePath, _ names: Names) -> [StateList]
  /// Returns all values in the state after `settle`, with their paths, in any order.
  ///
  /// By default, returns the values and lists under each path that begins with an id from the log.
  /// - Complexity: O(size of the state).
  func facts(_ names: Names) -> [Fact]
  /// Encodes the state after `settle` into a checkpoint, or decodes the state from one.
  mutating func code(with coder: inout StateCoder)
  /// Describes the first broken invariant of the state after `settle`; nil if all hold.
  /// - Complexity: O(size of the state).
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

/// The values under a path.
public struct Values {
  /// The values with their paths.
  public var facts: [Fact]
  /// Whether `facts` has all values under the path, not only those that an event can have changed.
  public var isWhole: Bool

  /// Creates the values from facts; by default none.
  public init(_ facts: [Fact] = [], isWhole: Bool = true) {
    (self.facts, self.isWhole) = (facts, isWhole)
  }

  /// Creates the values from one fact, or none if it is nil.
  init(_ fact: Fact?) { self.init(fact.map { [$0] } ?? []) }
}

/// A part of the state that an event can change, or a way to find it.
public enum Touch {
  /// The path of this kind with these ids, which are spelled as in the log.
  case path(StatePath.Kind, [String])
  /// All paths of these kinds that the event can change, found through `sources` and `leads`.
  case kinds([StatePath.Kind])
  /// For each event in one list of the `EventIndex`, the parts that the function returns.
  case each(EventIndex.Key, (Event) -> [Touch])
}

extension Touch {
  static func path(_ kind: StatePath.Kind, _ id: some DenseID, _ names: Names) -> Touch {
    .path(kind, [names[id]])
  }
}

/// A list in a projection's state, oldest item first. Each item has a number as its key.
public struct StateList {
  var path: String
  var count: Int
  var key: (Int) -> UInt64
  var name: (UInt64) -> String
  /// For a list of users: returns whether the list contains a user. After an event, it is then
  /// enough to check the users whom the event names. Nil for other lists.
  var has: ((UserID) -> Bool)?
  /// Whether the fact made from this list begins with the newest item.
  var isNewestFirst = true
  /// Whether an event may change the order of existing items.
  var mayReorder = false
  /// Whether the items' names are sentences. A timeline keeps them for items that left the list.
  var isOfSentences = false
  /// Returns the keys of the items that are in the list but not shown.
  var hidden: () -> [UInt64] = { [] }

  /// Creates a list of users; `users` begins with the newest.
  init(_ path: String, _ users: Users, _ names: Names, has: @escaping (UserID) -> Bool) {
    self.init(
      path, count: users.count, key: { UInt64(users[users.count - 1 - $0].index) },
      name: { names[UserID(index: UInt32($0))] })
    self.has = has
  }

  /// Creates a list of distinct users, oldest first.
  public init(_ path: String, _ users: [UserID], _ names: Names) {
    self.init(path, ids: users, names)
  }

  /// Creates a list of distinct ids, oldest first.
  init<ID: DenseID>(_ path: String, ids: some RandomAccessCollection<ID>, _ names: Names) {
    self.init(
      path, count: ids.count, key: { UInt64(ids[ids.index(ids.startIndex, offsetBy: $0)].index) },
      name: { names[ID(index: UInt32($0))] })
  }

  /// Creates a list from functions that return its items.
  ///
  /// `key` returns an item's key from its index in the list. No two items may have the same key.
  /// `name` returns an item's name from its key.
  public init(
    _ path: String, count: Int, key: @escaping (Int) -> UInt64, name: @escaping (UInt64) -> String
  ) {
    (self.path, self.count, self.key, self.name) = (path, count, key, name)
  }
}
