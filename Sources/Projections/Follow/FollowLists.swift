import Events

/// Whom each user follows and is followed by, in order.
///
/// ```swift
/// var following = FollowLists()
/// following.apply(.follow(.followed(Follow(follower: alice, followee: bob))), at: moment)
/// Array(following.followers(of: bob))  // [alice]
/// ```
/// `FollowCounts` counts the same edges in a third of the memory. Deleting an account removes its
/// edges, and later events by or about it do not count.
/// - Complexity: as for `Edges`; deleting an account costs the number of its edges.
public struct FollowLists: Projection {
  public static let name = "following"
  public static let version = 5
  public static let handles = EventTypes.follow.union([.profileCreated, .accountDeleted])

  var edges = DatedEdges()
  /// By user: whether the account was opened, and whether it was deleted.
  private var isOpened = Column(false)
  var isDeleted = Column(false)

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(let event): apply(event, moment)
    case .profile(let event): apply(event)
    case .accountDeleted(let deleted):
      isDeleted[deleted.user.index] = true
      edges.removeAll(from: deleted.user.index)
      edges.removeAll(to: deleted.user.index)
    default: break
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      edges.prefetch(edge.follower.index, edge.followee.index)
    default: break
    }
  }

  private mutating func apply(_ event: FollowEvent, _ moment: Moment) {
    switch event {
    case .followed(let edge):
      guard !isDeleted[edge.follower.index], !isDeleted[edge.followee.index] else { return }
      edges.insert(edge.follower.index, edge.followee.index, at: moment.time)
    case .unfollowed(let edge): edges.remove(edge.follower.index, edge.followee.index)
    }
  }

  private mutating func apply(_ event: ProfileEvent) {
    switch event {
    case .created(let data): isOpened[data.user.index] = true
    case .edited, .photoSet, .photoRemoved, .baseLocationSet, .baseLocationCleared, .sportSet,
      .sportRemoved, .sendLogged, .weeklyGoalSet, .premiumRecorded:
      break
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    isOpened.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// Whether the user has an account.
  func hasAccount(_ user: UserID) -> Bool { isOpened[user.index] && !isDeleted[user.index] }

  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    edges.contains(follower.index, followee.index)
  }

  /// When the follow that stands began; nil if there is none.
  public func since(_ follower: UserID, _ followee: UserID) -> Timestamp? {
    edges.since(follower.index, followee.index)
  }

  /// Who follows the user, newest first.
  public func followers(of user: UserID) -> Users { Users(edges.to(user.index)) }

  /// Whom the user follows, newest first.
  public func following(of user: UserID) -> Users { Users(edges.from(user.index)) }
}

/// An ordered list of users; reading a page costs O(its length).
public struct Users: RandomAccessCollection, Sendable {
  private let ends: Edges.Ends

  init(_ ends: Edges.Ends) { self.ends = ends }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ends.endIndex }
  public var count: Int { endIndex }
  public func index(after index: Int) -> Int { index + 1 }
  public subscript(index: Int) -> UserID { UserID(index: ends[index]) }
}
