import Events

/// Stops following a user.
public struct UnfollowUser: Command {
  public static let about = About(
    "UnfollowUser", .follow, "Stop following a user",
    result: "false: the caller no longer follows the user", errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let edge = Follow(follower: actor, followee: try model.user(input.followee))
    try model.decide(FollowEvent.unfollowed(edge), by: actor)
    return false
  }
}
