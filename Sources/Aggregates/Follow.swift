import Events

/// One edge of the follow graph.
public enum FollowDecider: Decider {
  /// Whether the follower follows the followee.
  public typealias State = Bool

  public struct Command: Sendable {
    public enum Action: Sendable { case follow, unfollow, toggle }
    public var action: Action
    public var followee: UserID
    /// Whether both have a profile.
    public var profilesExist: Bool

    public init(_ action: Action, _ followee: UserID, profilesExist: Bool) {
      self.action = action
      self.followee = followee
      self.profilesExist = profilesExist
    }
  }

  public static var initial: Bool { false }

  public static func evolve(_ state: inout Bool, _ event: borrowing Event) {
    switch event {
    case .userFollowed: state = true
    case .userUnfollowed: state = false
    case .profileCreated, .profileEdited, .profilePhotoSet, .profilePhotoRemoved, .baseLocationSet,
      .baseLocationCleared, .sportSet, .sportRemoved, .sendLogged, .accountDeleted,
      .friendRequested, .friendRequestCancelled, .friendRequestAccepted, .friendRequestRejected,
      .friendRemoved, .workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved,
      .chupGiven, .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved, .commentHearted,
      .commentUnhearted:
      break
    }
  }

  /// - Throws: `cannotFollowSelf`, `profileNotFound`.
  public static func decide(
    _ command: Command, _ isFollowing: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.followee == actor { throw .cannotFollowSelf }
    guard command.profilesExist else { throw .profileNotFound }
    let edge = Follow(follower: actor, followee: command.followee)
    switch (command.action, isFollowing) {
    case (.follow, true), (.unfollow, false): return nil
    case (.follow, false), (.toggle, false): return .userFollowed(edge)
    case (.unfollow, true), (.toggle, true): return .userUnfollowed(edge)
    }
  }
}
