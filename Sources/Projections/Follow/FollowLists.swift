import Events

/// The followers and the followed users of each user, in order.
///
/// ```swift
/// var following = FollowLists()
/// following.apply(.follow(.followed(Follow(follower: alice, followee: bob))), at: moment)
/// Array(following.followers(of: bob))  // [alice]
/// ```
/// The number of followers is the length of a list. `FollowCounts` has only the counts, in a third
/// of the memory.
///
/// It also keeps the follows that ended, with their times.
///
/// Deleting an account removes its follows, and later follows of it do not count. While one user
/// blocks another, the lists leave out a follow between them. When the block ends, the follow is
/// back in its old place.
/// - Complexity: see `Edges`; deleting an account costs O(its follows).
public struct FollowLists: Projection {
  public static let name = "following"
  public static let version = 7
  public static let handles = EventTypes.follow.union(.block)
    .union([.profileCreated, .accountDeleted])

  /// All current follows, including those hidden by a block.
  private var edges = DatedEdges()
  private var ended = EndedFollows()
  private var partings = Partings()
  /// By user: whether the account was opened, and whether it was deleted.
  private var isOpened = Column(false)
  private var isDeleted = Column(false)

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(let event): apply(event, moment)
    case .profile(let event): apply(event)
    case .block(let event):
      let edges = edges
      partings.apply(event) { edges.contains($0, $1) || edges.contains($1, $0) }
    case .accountDeleted(let deleted):
      isDeleted[deleted.user.index] = true
      edges.removeAll(from: deleted.user.index)
      edges.removeAll(to: deleted.user.index)
      ended.removeAll(of: deleted.user)
      partings.removeAll(of: deleted.user.index)
    default: break
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      edges.prefetch(edge.follower.index, edge.followee.index)
      ended.prefetch(edge)
    default: break
    }
  }

  private mutating func apply(_ event: FollowEvent, _ moment: Moment) {
    switch event {
    case .followed(let edge):
      guard !isDeleted[edge.follower.index], !isDeleted[edge.followee.index] else { return }
      edges.insert(edge.follower.index, edge.followee.index, at: moment.time)
      ended.remove(edge)
      part(edge)
    case .unfollowed(let edge):
      if let began = edges.remove(edge.follower.index, edge.followee.index) {
        ended.insert(edge, began: began, ended: moment.time)
      }
      part(edge)
    }
  }

  private mutating func part(_ edge: Follow) {
    let (a, b) = (edge.follower.index, edge.followee.index)
    guard partings.isBlocked(a, b) else { return }
    partings.update(a, b, isTied: edges.contains(a, b) || edges.contains(b, a))
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
    ended.code(with: &coder)
    partings.code(with: &coder)
    isOpened.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  func hasAccount(_ user: UserID) -> Bool { isOpened[user.index] && !isDeleted[user.index] }

  /// Returns whether the first user follows the second; false while a block hides the follow.
  public func isFollowing(_ follower: UserID, _ followee: UserID) -> Bool {
    edges.contains(follower.index, followee.index)
      && !partings.contains(follower.index, followee.index)
  }

  /// The pairs of users whose follow the lists leave out because of a block.
  public var parted: [(UserID, UserID)] { partings.all }

  /// Returns the time at which `follower` followed `followee`; nil without a visible follow now.
  public func since(_ follower: UserID, _ followee: UserID) -> Timestamp? {
    partings.contains(follower.index, followee.index)
      ? nil : edges.since(follower.index, followee.index)
  }

  /// Returns nil if each follow is listed for both its users, and deleted accounts have no follows;
  /// otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    edges.brokenInvariant(isDeleted, names) ?? ended.brokenInvariant
  }

  /// Returns the user's followers, newest first.
  public func followers(of user: UserID) -> Users {
    partings.visible(edges.to(user.index), of: user.index)
  }

  /// Returns the users whom the user follows, newest first.
  public func following(of user: UserID) -> Users {
    partings.visible(edges.from(user.index), of: user.index)
  }

  /// Returns the users who followed the user and do not now, the last end first.
  public func formerFollowers(of user: UserID) -> Users { ended.to(user) }

  /// Returns the users whom the user followed and does not follow now, the last end first.
  public func formerFollowing(of user: UserID) -> Users { ended.from(user) }

  /// Returns when a follow that ended had begun, and when it ended; nil if `follower` follows
  /// `followee` now, or never did.
  public func ended(
    _ follower: UserID, _ followee: UserID
  ) -> (began: Timestamp, ended: Timestamp)? { ended.times(follower, followee) }
}

extension StatePath.Kind {
  /// The paths `followers/USER` (a list) and `followers/USER.count`, once the account is open.
  public static let followers = edges("followers", sources: [.followee, .profile, .block])

  /// The paths `following/USER` (a list) and `following/USER.count`, once the account is open.
  public static let following = edges("following", sources: [.follower, .profile, .block])

  private static func edges(_ name: String, sources: [EventIndex.Role]) -> StatePath.Kind {
    StatePath.Kind(
      name, "users, newest first; .count: their number", of: ["USER"], root: .list(of: .user),
      countsEmptyLists: true, types: FollowLists.handles, visible: .follow, hiding: .block,
      sources: sources)
  }
}

extension FollowLists: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.followers, .following]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let user = names.find(user: path.ids[0]) else { return Values() }
    let count = (path.kind == .followers ? followers(of: user) : following(of: user)).count
    guard count > 0 || hasAccount(user) else { return Values() }
    return Values(Fact(names.path(path.kind.name, user) + ".count", .int(count)))
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let text = names.path(path.kind.name, user)
    return path.kind == .followers
      ? [StateList(text, followers(of: user), names) { isFollowing($0, user) }]
      : [StateList(text, following(of: user), names) { isFollowing(user, $0) }]
  }
}
