import Events

/// The blocks between users.
///
/// ```swift
/// var blocks = Blocks()
/// blocks.apply(.block(.blocked(Block(user: alice, other: bob))), at: moment)
/// blocks.isBlocked(bob, alice)  // true: either has blocked the other
/// Array(blocks.blocked(by: alice))  // [bob]
/// ```
/// Deleting an account removes the user's blocks in both directions for good.
/// - Complexity: see `Edges`; deleting an account costs O(its blocks).
public struct Blocks: FamilyProjection {
  public static let name = "blocks"
  public static let version = 2
  public static let handles = EventTypes.block.union([.accountDeleted])

  /// The edges from each blocking user to the blocked users.
  private var edges = DatedEdges()
  private var isDeleted = Column(false)

  public init() {}

  public mutating func apply(_ event: borrowing BlockEvent, at moment: Moment) {
    switch event {
    case .blocked(let block):
      let (user, other) = (block.user.index, block.other.index)
      guard user != other, !isDeleted[user], !isDeleted[other] else { return }
      edges.insert(user, other, at: moment.time)
    case .unblocked(let block): edges.remove(block.user.index, block.other.index)
    }
  }

  public mutating func removeAccount(_ user: UserID) {
    isDeleted[user.index] = true
    edges.removeAll(from: user.index)
    edges.removeAll(to: user.index)
  }

  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// Returns whether either of the two users blocks the other.
  public func isBlocked(_ a: UserID, _ b: UserID) -> Bool {
    // Blocks are rare: if there are none at all, both lookups are unnecessary.
    edges.count > 0 && (isBlocking(a, b) || isBlocking(b, a))
  }

  /// Returns whether `user` blocks `other`.
  public func isBlocking(_ user: UserID, _ other: UserID) -> Bool {
    edges.contains(user.index, other.index)
  }

  /// Returns the time at which `user` blocked `other`; nil if there is no such block now.
  public func since(_ user: UserID, _ other: UserID) -> Timestamp? {
    edges.since(user.index, other.index)
  }

  /// Returns the users whom the user blocks, newest block first.
  public func blocked(by user: UserID) -> Users { Users(edges.from(user.index)) }

  /// Returns the users who block the user, newest block first.
  func blockers(of user: UserID) -> Users { Users(edges.to(user.index)) }

  /// Returns nil if no deleted account blocks a user or is blocked; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? { edges.brokenInvariant(isDeleted, names) }
}
