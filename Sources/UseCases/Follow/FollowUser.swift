import Events

let followErrors = ["cannotFollowSelf", "profileNotFound", "unauthorized"]

/// Follows a user.
public struct FollowUser: Command {
  public static let about = About(
    "FollowUser", .follow, "Follow a user", result: "true: the caller now follows the user",
    errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let edge = Follow(follower: actor, followee: try model.user(input.followee))
    try model.decide(FollowEvent.followed(edge), by: actor)
    return true
  }
}
