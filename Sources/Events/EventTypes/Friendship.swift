/// What happens between two users who are, were or may become friends.
public enum FriendshipEvent: EventFamily, CodedFamily {
  case requested(FriendRequest)
  case cancelled(FriendRequest)
  case accepted(FriendRequest)
  case rejected(FriendRequest)
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
/// `FriendRequestRejected`: who asked whom.
public struct FriendRequest: WordlessData {
  public var sender: UserID
  public var receiver: UserID

  public init(sender: UserID, receiver: UserID) {
    self.sender = sender
    self.receiver = receiver
  }

  init() { self.init(sender: .blank, receiver: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("sender", &sender)
    try members("receiver", &receiver)
  }

  public var stream: StreamID { .friendship(sender, receiver) }
}

/// The data of `FriendRemoved`: `user` ended the friendship with `friend`.
public struct FriendRemoved: WordlessData {
  public var user: UserID
  public var friend: UserID

  public init(user: UserID, friend: UserID) {
    self.user = user
    self.friend = friend
  }

  init() { self.init(user: .blank, friend: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("user", &user)
    try members("friend", &friend)
  }

  public var stream: StreamID { .friendship(user, friend) }
}
