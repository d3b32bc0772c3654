import Events

/// Follows a user, or stops following.
public struct ToggleFollow: Command {
  public static let about = About(
    "ToggleFollow", .follow, "Follow a user, or stop following", result: "true: now following",
    errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.follow(.toggle, input.followee) }
}
