import Events

/// The pairs of users with a block between them.
///
/// - Complexity: O(1) per access. Memory: 12 bytes per slot of a hash table, in which at most three
///   quarters of the slots are used.
struct BlockedPairs: Sendable {
  /// By pair of users, lower id first: 1 if the first user blocks the second, 2 if the second
  /// blocks the first, 3 for both.
  private var sides = KeyTable()

  private static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { KeyTable.key(min(a, b), max(a, b)) }

  private static func side(_ blocker: UInt32, _ other: UInt32) -> UInt32 { blocker < other ? 1 : 2 }

  func contains(_ a: UInt32, _ b: UInt32) -> Bool {
    sides.count > 0 && sides[Self.key(a, b)] != nil
  }

  /// Adds a block and returns whether there was no block between the two users before.
  mutating func insert(_ blocker: UInt32, _ other: UInt32) -> Bool {
    let key = Self.key(blocker, other)
    let old = sides[key] ?? 0
    sides.set(key, old | Self.side(blocker, other))
    return old == 0
  }

  /// Removes a block and returns whether it was the last one between the two users.
  mutating func remove(_ blocker: UInt32, _ other: UInt32) -> Bool {
    let key = Self.key(blocker, other)
    guard let old = sides[key] else { return false }
    let new = old & ~Self.side(blocker, other)
    if new == 0 { return sides.remove(key) }
    sides.set(key, new)
    return false
  }

  mutating func code(with coder: inout StateCoder) { sides.code(with: &coder) }
}

/// The pairs of users with both a block and a tie: a follow, a friendship or a friend request.
///
/// Only an imported log has such pairs. A projection's lists omit the tie until the block ends.
/// - Complexity: O(1) per event while there is no such pair. Reading a list costs O(its length) for
///   a user of such a pair, and nothing for other users.
struct Partings: Sendable {
  private var blocks = BlockedPairs()
  /// The pairs of users with both a block and a tie, each pair in both directions.
  private var pairs = Edges()
  private var made: UInt32 = 0

  /// Updates the pairs when a block begins or ends.
  /// - Parameter isTied: Returns whether two users have a tie.
  mutating func apply(_ event: BlockEvent, isTied: (UInt32, UInt32) -> Bool) {
    switch event {
    case .blocked(let block):
      let (user, other) = (block.user.index, block.other.index)
      if user != other, blocks.insert(user, other), isTied(user, other) { add(user, other) }
    case .unblocked(let block):
      let (user, other) = (block.user.index, block.other.index)
      if blocks.remove(user, other), pairs.count > 0 { remove(user, other) }
    }
  }

  /// Returns whether one of the users blocks the other.
  func isBlocked(_ a: UInt32, _ b: UInt32) -> Bool { blocks.contains(a, b) }

  /// Updates the pairs after an event that may have begun or ended a tie between two users.
  mutating func update(_ a: UInt32, _ b: UInt32, isTied: Bool) {
    guard isBlocked(a, b) else { return }
    if isTied { add(a, b) } else { remove(a, b) }
  }

  mutating func removeAll(of user: UInt32) {
    guard pairs.count > 0 else { return }
    pairs.removeAll(from: user)
    pairs.removeAll(to: user)
  }

  private mutating func add(_ a: UInt32, _ b: UInt32) {
    for (one, other) in [(a, b), (b, a)] where pairs.insert(one, other, age: made) { made += 1 }
  }

  private mutating func remove(_ a: UInt32, _ b: UInt32) {
    pairs.remove(a, b)
    pairs.remove(b, a)
  }

  /// The pairs of users with both a block and a tie, each pair with the lower id first.
  var all: [(UserID, UserID)] {
    pairs.starts.flatMap { a in
      pairs.from(a).filter { a < $0 }.map { (UserID(index: a), UserID(index: $0)) }
    }
  }

  func contains(_ a: UInt32, _ b: UInt32) -> Bool { pairs.count > 0 && pairs.contains(a, b) }

  /// Returns the list `ends` of this user, without the users whose tie to this user a block hides.
  func visible(_ ends: Edges.Ends, of user: UInt32) -> Users {
    guard pairs.count > 0, !pairs.from(user).isEmpty else { return Users(ends) }
    return Users(ends, without: Set(pairs.from(user)))
  }

  mutating func code(with coder: inout StateCoder) {
    blocks.code(with: &coder)
    pairs.code(with: &coder)
    coder(&made)
  }
}

/// An ordered list of users. Reading a page costs O(its length).
public struct Users: RandomAccessCollection, Sendable {
  private let ends: Edges.Ends
  /// The users who remain if a block hides some of `ends`; nil if all are shown.
  private let rest: [UInt32]?

  init(_ ends: Edges.Ends) { (self.ends, rest) = (ends, nil) }

  init(_ ends: Edges.Ends, without gone: Set<UInt32>) {
    (self.ends, rest) = (ends, ends.filter { !gone.contains($0) })
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { rest?.count ?? ends.endIndex }
  public var count: Int { endIndex }
  public func index(after index: Int) -> Int { index + 1 }
  public subscript(index: Int) -> UserID { UserID(index: rest?[index] ?? ends[index]) }
}
