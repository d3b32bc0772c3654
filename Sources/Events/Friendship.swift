/// The data of `FriendRequested`, `FriendRequestCancelled`, `FriendRequestAccepted` and
/// `FriendRequestRejected`: who asked whom.
public struct FriendRequest: EventData {
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

  func write(to w: inout MemberWriter) {
    w.member("sender", sender)
    w.member("receiver", receiver)
  }

  public var stream: StreamID { .friendship(sender, receiver) }
}

/// The data of `FriendRemoved`: `user` ended the friendship with `friend`.
public struct FriendRemoved: EventData {
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

  func write(to w: inout MemberWriter) {
    w.member("user", user)
    w.member("friend", friend)
  }

  public var stream: StreamID { .friendship(user, friend) }
}
