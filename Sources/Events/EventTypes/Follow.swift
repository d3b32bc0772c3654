/// An event about whether one user follows another.
public enum FollowEvent: EventFamily, CodedFamily {
  /// A user started to follow another user.
  case followed(Follow)
  /// A user stopped following another user.
  case unfollowed(Follow)

  @inlinable
  public init?(_ event: borrowing Event) {
    switch event {
    case .follow(let event): self = event
    default: return nil
    }
  }

  func visit<V: EventVisitor>(_ visitor: inout V) -> V.Result {
    switch self {
    case .followed(let data): visitor.visit(.userFollowed, data) { .follow(.followed($0)) }
    case .unfollowed(let data): visitor.visit(.userUnfollowed, data) { .follow(.unfollowed($0)) }
    }
  }
}

/// The data of `UserFollowed` and `UserUnfollowed`: one user follows another, or no longer does.
public struct Follow: WordlessData {
  /// The user who follows.
  public var follower: UserID
  /// The user whom the follower follows.
  public var followee: UserID

  /// Creates the data of a `UserFollowed` or `UserUnfollowed` event.
  public init(follower: UserID, followee: UserID) {
    (self.follower, self.followee) = (follower, followee)
  }

  init() { self.init(follower: .blank, followee: .blank) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("follower", &follower)
    try members("followee", &followee)
  }

  public var stream: StreamID { .follow(follower, followee) }
}
