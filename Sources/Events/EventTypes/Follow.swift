/// What happens to an edge of the follow graph.
public enum FollowEvent: EventFamily, CodedFamily {
  case followed(Follow)
  case unfollowed(Follow)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .follow(let event): self = event
    default: return nil
    }
  }

  public var type: EventType {
    switch self {
    case .followed: .userFollowed
    case .unfollowed: .userUnfollowed
    }
  }

  func visitData<V: DataVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .followed(let data), .unfollowed(let data): visitor.visit(data)
    }
  }

  mutating func mapData(_ map: inout some DataMap) {
    switch self {
    case .followed(let data): self = .followed(map(data))
    case .unfollowed(let data): self = .unfollowed(map(data))
    }
  }
}

/// An edge of the follow graph: the data of `UserFollowed` and `UserUnfollowed`.
public struct Follow: WordlessData {
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

  func write<W: MemberWriter>(to w: inout W) {
    w.member("follower", follower)
    w.member("followee", followee)
  }

  public var stream: StreamID { .follow(follower, followee) }

  mutating func mapIDs(_ map: some IDMap) {
    follower = map(follower)
    followee = map(followee)
  }
}
