/// Stops following a user.
public struct UnfollowUser: Command {
  public static let about = About(
    "UnfollowUser", .follow, "Stop following a user", result: "false: no longer following",
    errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.follow(.unfollow, input.followee) }
}
