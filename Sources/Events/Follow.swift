/// An edge of the follow graph: the data of `UserFollowed` and `UserUnfollowed`.
public struct Follow: EventData {
  public var follower: UserID
  public var followee: UserID

  public init(follower: UserID, followee: UserID) {
    self.follower = follower
    self.followee = followee
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    follower = try r.required("follower")
    followee = try r.required("followee")
  }

  func write(to w: inout MemberWriter) {
    w.member("follower", follower)
    w.member("followee", followee)
  }

  public var stream: StreamID { .follow(follower, followee) }
}
