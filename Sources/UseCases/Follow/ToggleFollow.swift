import Aggregates
import Events

/// Follows a user, or stops following.
public struct ToggleFollow: Command {
  public static let about = About(
    "ToggleFollow", .follow, "Follow a user, or stop following",
    result: "true if the caller now follows the user", errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let edge = Follow(follower: actor, followee: try model.user(input.followee))
    // An import can leave both a follow and a block; such a follow does not count.
    let stands =
      model.society.isFollowing(edge) && !model.society.isBlocked(actor, edge.followee)
    try model.decide(stands ? FollowEvent.unfollowed(edge) : .followed(edge), by: actor)
    return !stands
  }
}
