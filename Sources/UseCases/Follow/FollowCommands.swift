import Aggregates
import Events

private let followErrors = ["cannotFollowSelf", "profileNotFound", "unauthorized"]

/// The input of the use cases by which the caller follows or unfollows a user.
public struct FolloweeInput: UseCaseInput {
  /// The id of the user to follow or unfollow.
  public var followee: String

  /// Creates the input.
  public init(followee: String) { self.followee = followee }

  public static var placeholder: FolloweeInput { FolloweeInput(followee: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("followee", "The id of the user to follow or unfollow.", &followee)
  }
}

/// Makes the caller follow a user.
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

/// Makes the caller unfollow a user.
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

/// Makes the caller follow a user, or ends the follow if there is one.
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
    // After an import there can be both a follow and a block of two users; then the follow does not
    // count.
    let stands =
      model.aggregates.value.isFollowing(edge)
      && !model.aggregates.value.isBlocked(actor, edge.followee)
    try model.decide(stands ? FollowEvent.unfollowed(edge) : .followed(edge), by: actor)
    return !stands
  }
}
