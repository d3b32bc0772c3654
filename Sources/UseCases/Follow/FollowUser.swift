import Aggregates
import Events

/// The input of the use cases that make or end a follow.
public struct FolloweeInput: UseCaseInput {
  public var followee: String

  public init(followee: String) { self.followee = followee }

  public init(from fields: inout Fields) throws(InputError) {
    followee = try fields.required("followee", "Who is followed, or no longer.")
  }
}

/// Follows a user.
public struct FollowUser: Command {
  public static let about = About(
    "FollowUser", .follow, "Follow a user", result: "true: now following", errors: followErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: FolloweeInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.follow(.follow, input.followee) }
}

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

private let followErrors = ["cannotFollowSelf", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller now follows.
  fileprivate mutating func follow(
    _ action: FollowDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let edge = Follow(follower: actor, followee: try user(name))
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, edge, actor, rules)
    }
    return society.isFollowing(edge)
  }
}
