import Aggregates
import Events

/// Blocks a user, and ends what stands between the two: follows, friendship and requests.
///
/// All of it is one commit; what is ended names the block as its cause, and does not come back.
public struct BlockUser: Command {
  public static let about = About(
    "BlockUser", .blocks, "Block a user, and end follows, friendship and requests between the two",
    errors: ["cannotBlockSelf", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: BlockedInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.user)
    let blocked = Event.block(.blocked(Block(user: actor, other: other)))
    guard try model.decide(blocked, by: actor) != nil else { return Nothing() }
    model.draft.cause = model.draft.events.count - 1
    defer { model.draft.cause = nil }
    for edge in [
      Follow(follower: actor, followee: other), Follow(follower: other, followee: actor),
    ]
    where model.society.isFollowing(edge) {
      try model.decide(FollowEvent.unfollowed(edge), by: actor)
    }
    let sent = FriendRequest(sender: actor, receiver: other)
    switch model.society.friendship(actor, other) {
    case .none: break
    case .friends:
      let removed = FriendRemoved(user: actor, friend: other)
      try model.decide(FriendshipEvent.removed(removed), by: actor)
    case .pending(sender: actor): try model.decide(FriendshipEvent.cancelled(sent), by: actor)
    case .pending:
      let received = FriendRequest(sender: other, receiver: actor)
      try model.decide(FriendshipEvent.rejected(received), by: actor)
    }
    return Nothing()
  }
}
