import Events

/// One edge of the follow graph.
public enum FollowDecider: Decider {
  /// Whether the follower follows the followee.
  public typealias State = Bool

  public struct Command: Sendable {
    public enum Action: Sendable { case follow, unfollow, toggle }
    public var action: Action
    public var followee: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the actor sees that of the followee.
    public var isSeen: Bool

    public init(_ action: Action, _ followee: UserID, hasProfile: Bool = true, isSeen: Bool) {
      self.action = action
      self.followee = followee
      self.hasProfile = hasProfile
      self.isSeen = isSeen
    }
  }

  public static var initial: Bool { false }

  public static func evolve(_ state: inout Bool, _ event: borrowing FollowEvent) {
    switch event {
    case .followed: state = true
    case .unfollowed: state = false
    }
  }

  /// Unfollowing needs no visibility, nor does a toggle that takes back a follow. Unfollowing
  /// somebody who is not followed changes nothing.
  /// - Throws: `cannotFollowSelf`, `profileNotFound`.
  public static func decide(
    _ command: Command, _ isFollowing: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.followee == actor { throw .cannotFollowSelf }
    let isTakenBack = command.action == .unfollow || command.action == .toggle && isFollowing
    guard command.hasProfile, command.isSeen || isTakenBack else { throw .profileNotFound }
    let edge = Follow(follower: actor, followee: command.followee)
    switch (command.action, isFollowing) {
    case (.follow, true), (.unfollow, false): return nil
    case (.follow, false), (.toggle, false): return .follow(.followed(edge))
    case (.unfollow, true), (.toggle, true): return .follow(.unfollowed(edge))
    }
  }
}
