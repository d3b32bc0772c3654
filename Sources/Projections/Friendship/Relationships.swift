import Events

/// Friends, and friend requests sent and received, in order.
///
/// ```swift
/// var relationships = Relationships()
/// let request = FriendRequest(sender: alice, receiver: bob)
/// relationships.apply(.friendship(.requested(request)), at: moment)
/// relationships[bob, alice]  // .requestReceived
/// ```
/// A later event about a pair replaces whatever was between the two, as in the decider. Deleting an
/// account removes its friendships and requests for good.
/// - Complexity: as for `Edges`; deleting an account costs the number of its edges.
public struct Relationships: FamilyProjection {
  public static let name = "relationships"
  public static let version = 3
  public static let handles = EventTypes.friendship.union([.accountDeleted])

  /// The relationship of one user to another, as the first sees it.
  public enum Relationship: String, CaseIterable, Sendable {
    case `self`, none, requestSent, requestReceived, friends
  }

  /// In both directions.
  var friendships = Edges()
  /// From sender to receiver.
  var requests = Edges()
  var isDeleted = Column(false)
  private var made: UInt32 = 0
  /// By the edge's age, in milliseconds.
  private var times = Column<Int64>(0)

  public init() {}

  public mutating func apply(_ event: borrowing FriendshipEvent, at moment: Moment) {
    switch event {
    case .requested(let request): set(.requestSent, request.sender, request.receiver, moment)
    case .accepted(let request): set(.friends, request.sender, request.receiver, moment)
    case .cancelled(let request), .rejected(let request):
      set(.none, request.sender, request.receiver, moment)
    case .removed(let removed): set(.none, removed.user, removed.friend, moment)
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .friendship(.requested(let request)), .friendship(.accepted(let request)),
      .friendship(.cancelled(let request)), .friendship(.rejected(let request)):
      requests.prefetch(request.sender.index, request.receiver.index)
      friendships.prefetch(request.sender.index, request.receiver.index)
      friendships.prefetch(request.receiver.index, request.sender.index)
    default: break
    }
  }

  public mutating func forget(_ user: UserID) {
    isDeleted[user.index] = true
    friendships.removeAll(from: user.index)
    friendships.removeAll(to: user.index)
    requests.removeAll(from: user.index)
    requests.removeAll(to: user.index)
  }

  private mutating func set(
    _ new: Relationship, _ user: UserID, _ other: UserID, _ moment: Moment
  ) {
    let (a, b) = (user.index, other.index)
    guard a != b, !isDeleted[a], !isDeleted[b], self[user, other] != new else { return }
    requests.remove(a, b)
    requests.remove(b, a)
    friendships.remove(a, b)
    friendships.remove(b, a)
    switch new {
    case .requestSent: requests.insert(a, b, age: made)
    case .friends:
      friendships.insert(a, b, age: made)
      times[made] = moment.time.milliseconds
      made += 1
      friendships.insert(b, a, age: made)
    case .none, .requestReceived, .self: break
    }
    times[made] = moment.time.milliseconds
    made += 1
  }

  public mutating func code(with coder: inout StateCoder) {
    friendships.code(with: &coder)
    requests.code(with: &coder)
    isDeleted.code(with: &coder)
    coder(&made)
    times.code(with: &coder)
  }

  public subscript(user: UserID, other: UserID) -> Relationship {
    if user == other { return .self }
    if friendships.contains(user.index, other.index) { return .friends }
    if requests.contains(user.index, other.index) { return .requestSent }
    return requests.contains(other.index, user.index) ? .requestReceived : .none
  }

  /// When the friendship or the request that stands between two users began; nil if there is none.
  public func since(_ user: UserID, _ other: UserID) -> Timestamp? {
    let (a, b) = (user.index, other.index)
    let age = friendships.age(a, b) ?? requests.age(a, b) ?? requests.age(b, a)
    return age.map { Timestamp(milliseconds: times[$0]) }
  }

  /// The user's friends, the newest friendship first.
  public func friends(of user: UserID) -> Users { Users(friendships.from(user.index)) }

  /// The users whose requests await this user's answer, newest first.
  public func pending(of user: UserID) -> Users { Users(requests.to(user.index)) }

  /// The users who have yet to answer this user's requests, newest first.
  public func sent(of user: UserID) -> Users { Users(requests.from(user.index)) }
}
