import Events

/// Decides about one user's follow of another.
public enum FollowDecider: Decider {
  /// Whether the follower follows the followee.
  public typealias State = Bool

  /// A command of the follower.
  public struct Command: Sendable {
    /// The action: to follow or to unfollow.
    public enum Action: Sendable { case follow, unfollow }
    /// The action to perform.
    public var action: Action
    /// The user to follow or unfollow.
    public var followee: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the actor can see the followee's profile.
    public var isSeen: Bool

    /// Creates a command.
    public init(_ action: Action, _ followee: UserID, hasProfile: Bool = true, isSeen: Bool) {
      (self.action, self.followee, self.hasProfile) = (action, followee, hasProfile)
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

  /// Returns the event that follows or unfollows the followee; nil if nothing would change.
  /// Unfollowing works even if the actor cannot see the followee.
  /// - Throws: `cannotFollowSelf`, `profileNotFound`.
  public static func decide(
    _ command: Command, _ isFollowing: Bool, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.followee == actor { throw .cannotFollowSelf }
    guard command.hasProfile, command.isSeen || command.action == .unfollow else {
      throw .profileNotFound
    }
    let edge = Follow(follower: actor, followee: command.followee)
    switch (command.action, isFollowing) {
    case (.follow, true), (.unfollow, false): return nil
    case (.follow, false): return .follow(.followed(edge))
    case (.unfollow, true): return .follow(.unfollowed(edge))
    }
  }
}

extension FollowEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (edge, user) = (edge, actor.id)
    // A user who blocks a follower may also record the end of the follower's follow.
    if case .unfollowed = self, edge.followee == user, states.isBlocking(user, edge.follower) {
      return states.isFollowing(edge) ? .follow(self) : nil
    }
    guard edge.follower == user else { throw .notAuthorized }
    let action: FollowDecider.Command.Action =
      switch self {
      case .followed: .follow
      case .unfollowed: .unfollow
      }
    let command = FollowDecider.Command(
      action, edge.followee, hasProfile: states.exists(user),
      isSeen: states.sees(edge.followee, user, rules))
    return try FollowDecider.decide(command, states.isFollowing(edge), by: user, rules)
  }

  private var edge: Follow {
    switch self {
    case .followed(let edge), .unfollowed(let edge): edge
    }
  }
}
