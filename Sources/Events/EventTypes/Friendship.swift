/// An event about the friendship of two users, or about a request to become friends.
public enum FriendshipEvent: EventFamily, CodedFamily {
  /// A user sent a friend request.
  case requested(FriendRequest)
  /// The sender cancelled the friend request.
  case cancelled(FriendRequest)
  /// The receiver accepted the friend request.
  case accepted(FriendRequest)
  /// The receiver rejected the friend request.
  case rejected(FriendRequest)
  /// One of the two users ended the friendship.
  case removed(FriendRemoved)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .friendship(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .requested(let data): visitor.visit(.friendRequested, data) { .friendship(.requested($0)) }
    case .cancelled(let data):
      visitor.visit(.friendRequestCancelled, data) { .friendship(.cancelled($0)) }
    case .accepted(let data):
      visitor.visit(.friendRequestAccepted, data) { .friendship(.accepted($0)) }
    case .rejected(let data):
      visitor.visit(.friendRequestRejected, data) { .friendship(.rejected($0)) }
    case .removed(let data): visitor.visit(.friendRemoved, data) { .friendship(.removed($0)) }
    }
  }
}

/// The data of `FriendRequested`, `FriendRequestCancelled`, `FriendRequestAccepted` and
/// `FriendRequestRejected`: the two users of a friend request.
public struct FriendRequest: WordlessData {
  /// The user who sent the friend request.
  public var sender: UserID
  /// The user who received the friend request.
  public var receiver: UserID

  /// Creates the data of an event about a friend request.
  public init(sender: UserID, receiver: UserID) {
    (self.sender, self.receiver) = (sender, receiver)
  }

  init() { self.init(sender: .blank, receiver: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("sender", &sender)
    try members("receiver", &receiver)
  }

  public var stream: StreamID { .friendship(sender, receiver) }
}

/// The data of `FriendRemoved`: one user ended the friendship with another.
public struct FriendRemoved: WordlessData {
  /// The user who ended the friendship.
  public var user: UserID
  /// The user with whom the friendship ended.
  public var friend: UserID

  /// Creates the data of a `FriendRemoved` event.
  public init(user: UserID, friend: UserID) {
    (self.user, self.friend) = (user, friend)
  }

  init() { self.init(user: .blank, friend: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("friend", &friend)
  }

  public var stream: StreamID { .friendship(user, friend) }
}
