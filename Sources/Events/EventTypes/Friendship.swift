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

  public var type: EventType {
    switch self {
    case .requested: .friendRequested
    case .cancelled: .friendRequestCancelled
    case .accepted: .friendRequestAccepted
    case .rejected: .friendRequestRejected
    case .removed: .friendRemoved
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .requested(let data), .cancelled(let data), .accepted(let data), .rejected(let data):
      visitor.visit(data)
    case .removed(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .requested(let data): self = .requested(map(data))
    case .cancelled(let data): self = .cancelled(map(data))
    case .accepted(let data): self = .accepted(map(data))
    case .rejected(let data): self = .rejected(map(data))
    case .removed(let data): self = .removed(map(data))
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

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    sender = try r.required("sender")
    receiver = try r.required("receiver")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("sender", sender)
    w.member("receiver", receiver)
  }

  public var stream: StreamID { .friendship(sender, receiver) }

  mutating func mapIDs(_ map: some IDMap) {
    sender = map(sender)
    receiver = map(receiver)
  }
}

/// The data of `FriendRemoved`: `user` ended the friendship with `friend`.
public struct FriendRemoved: WordlessData {
  public var user: UserID
  public var friend: UserID

  public init(user: UserID, friend: UserID) {
    self.user = user
    self.friend = friend
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    user = try r.required("user")
    friend = try r.required("friend")
  }

  func write<W: MemberWriter>(to w: inout W) {
    w.member("user", user)
    w.member("friend", friend)
  }

  public var stream: StreamID { .friendship(user, friend) }

  mutating func mapIDs(_ map: some IDMap) {
    user = map(user)
    friend = map(friend)
  }
}
