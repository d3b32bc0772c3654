import Events

/// The friends and the friend requests of each user, in order.
///
/// ```swift
/// var relationships = Relationships()
/// let request = FriendRequest(sender: alice, receiver: bob)
/// relationships.apply(.friendship(.requested(request)), at: moment)
/// relationships[bob, alice]  // .requestReceived
/// ```
/// A later event about two users replaces their relationship, as in the decider. Deleting an
/// account removes its friendships and friend requests for good. A block hides the relationship of
/// its two users until the block ends.
/// - Complexity: see `Edges`; deleting an account costs O(its friendships and requests).
public struct Relationships: Projection {
  public static let name = "relationships"
  public static let version = 4
  public static let handles = EventTypes.friendship.union(.block).union([.accountDeleted])

  /// The relationship of one user to another.
  public enum Relationship: String, CaseIterable, Sendable {
    /// `requestSent` and `requestReceived` are from the first user's point of view. `self` means
    /// that both are the same user.
    case `self`, none, requestSent, requestReceived, friends
  }

  /// The edges between friends, in both directions.
  var friendships = Edges()
  /// The edges from each request's sender to its receiver.
  var requests = Edges()
  var isDeleted = Column(false)
  private var partings = Partings()
  private var made: UInt32 = 0
  /// By the edge's age (see `Edges.insert`): when the friendship or request began, in milliseconds.
  private var times = Column<Int64>(0)

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .friendship(let event): apply(event, moment)
    case .block(let event):
      let (friendships, requests) = (friendships, requests)
      partings.apply(event) {
        Self.standing(UserID(index: $0), UserID(index: $1), friendships, requests) != .none
      }
    case .accountDeleted(let data): removeAccount(data.user)
    default: break
    }
  }

  private mutating func apply(_ event: FriendshipEvent, _ moment: Moment) {
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

  private mutating func removeAccount(_ user: UserID) {
    isDeleted[user.index] = true
    friendships.removeAll(from: user.index)
    friendships.removeAll(to: user.index)
    requests.removeAll(from: user.index)
    requests.removeAll(to: user.index)
    partings.removeAll(of: user.index)
  }

  private mutating func set(
    _ new: Relationship, _ user: UserID, _ other: UserID, _ moment: Moment
  ) {
    let (a, b) = (user.index, other.index)
    guard a != b, !isDeleted[a], !isDeleted[b], standing(user, other) != new else { return }
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
    partings.update(a, b, isTied: new != .none)
  }

  public mutating func code(with coder: inout StateCoder) {
    friendships.code(with: &coder)
    requests.code(with: &coder)
    isDeleted.code(with: &coder)
    partings.code(with: &coder)
    coder(&made)
    times.code(with: &coder)
  }

  /// The relationship of the first user to the second; `none` while a block hides it.
  public subscript(user: UserID, other: UserID) -> Relationship {
    let standing = standing(user, other)
    return standing != .none && partings.contains(user.index, other.index) ? .none : standing
  }

  /// Returns the relationship of two users, even if a block hides it.
  private func standing(_ user: UserID, _ other: UserID) -> Relationship {
    Self.standing(user, other, friendships, requests)
  }

  private static func standing(
    _ user: UserID, _ other: UserID, _ friendships: Edges, _ requests: Edges
  ) -> Relationship {
    if user == other { return .self }
    if friendships.contains(user.index, other.index) { return .friends }
    if requests.contains(user.index, other.index) { return .requestSent }
    return requests.contains(other.index, user.index) ? .requestReceived : .none
  }

  /// The pairs of users with a friendship or request that the lists leave out because of a block.
  public var parted: [(UserID, UserID)] { partings.all }

  /// Returns the time at which the two users' current friendship or friend request began; nil if
  /// there is neither, or if a block hides it.
  public func since(_ user: UserID, _ other: UserID) -> Timestamp? {
    let (a, b) = (user.index, other.index)
    if partings.contains(a, b) { return nil }
    let age = friendships.age(a, b) ?? requests.age(a, b) ?? requests.age(b, a)
    return age.map { Timestamp(milliseconds: times[$0]) }
  }

  /// Returns the user's friends, newest friendship first.
  public func friends(of user: UserID) -> Users {
    partings.visible(friendships.from(user.index), of: user.index)
  }

  /// Returns the users whose friend requests the user has not answered, newest first.
  public func pending(of user: UserID) -> Users {
    partings.visible(requests.to(user.index), of: user.index)
  }

  /// Returns the users who have not answered the user's friend requests, newest first.
  public func sent(of user: UserID) -> Users {
    partings.visible(requests.from(user.index), of: user.index)
  }

  /// Returns nil if friendship is symmetric, friends have no open request between them, and deleted
  /// accounts have neither friends nor requests; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = friendships.brokenInvariant ?? requests.brokenInvariant { return broken }
    for index in friendships.starts {
      let user = UserID(index: index)
      for friend in Users(friendships.from(index)) {
        if !friendships.contains(friend.index, index) {
          return "\(names[user]) has the friend \(names[friend]), who does not"
        }
        if requests.contains(index, friend.index) || isDeleted[index] {
          return "\(names[user]) and \(names[friend]) are friends with a request, or one is deleted"
        }
      }
    }
    return nil
  }
}
