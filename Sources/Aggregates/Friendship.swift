import Events

/// Decides about the friendship of two users and the friend requests before it. One state holds
/// the friendship or the pending request.
public enum FriendshipDecider: Decider {
  /// The relationship of two users.
  public enum State: Equatable, Sendable {
    /// `none`: the users are not friends, and no request is pending. `friends`: they are friends.
    case none, friends
    /// The sender's request waits for the other user's answer.
    case pending(sender: UserID)
  }

  /// A command of one of the two users.
  public struct Command: Sendable {
    /// The action: to send, cancel, accept or reject a request, or to end the friendship.
    public enum Action: Sendable { case request, cancel, accept, reject, remove }
    /// The action to perform.
    public var action: Action
    /// The other user.
    public var other: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the actor can see the other user's profile. When accepting a request: whether
    /// neither user has blocked the other.
    public var isSeen: Bool

    /// Creates a command.
    public init(_ action: Action, _ other: UserID, hasProfile: Bool = true, isSeen: Bool) {
      (self.action, self.other, self.hasProfile, self.isSeen) = (action, other, hasProfile, isSeen)
    }
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing FriendshipEvent) {
    switch event {
    case .requested(let request): state = .pending(sender: request.sender)
    case .accepted: state = .friends
    case .cancelled, .rejected, .removed: state = .none
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. Only sending and
  /// accepting a request require `isSeen`.
  /// - Throws: `cannotFriendSelf`, `profileNotFound`, `alreadyRequested`, `alreadyReceived`,
  ///   `alreadyFriends`, `noSuchRequest`, `notFriends`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let other = command.other
    if command.action == .request, other == actor { throw .cannotFriendSelf }
    guard command.hasProfile, command.isSeen || command.action != .request else {
      throw .profileNotFound
    }
    let sent = FriendRequest(sender: actor, receiver: other)
    let received = FriendRequest(sender: other, receiver: actor)
    switch command.action {
    case .request:
      switch state {
      case .none: return .friendship(.requested(sent))
      case .pending(sender: actor): throw .alreadyRequested
      case .pending: throw .alreadyReceived
      case .friends: throw .alreadyFriends
      }
    case .cancel:
      guard state == .pending(sender: actor), other != actor else { throw .noSuchRequest }
      return .friendship(.cancelled(sent))
    case .accept:
      guard state == .pending(sender: other), other != actor else { throw .noSuchRequest }
      guard command.isSeen else { throw .profileNotFound }
      return .friendship(.accepted(received))
    case .reject:
      guard state == .pending(sender: other), other != actor else { throw .noSuchRequest }
      return .friendship(.rejected(received))
    case .remove:
      guard state == .friends else { throw .notFriends }
      return .friendship(.removed(FriendRemoved(user: actor, friend: other)))
    }
  }
}

extension FriendshipEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (action, user, other): (FriendshipDecider.Command.Action, UserID, UserID) =
      switch self {
      case .requested(let request): (.request, request.sender, request.receiver)
      case .cancelled(let request): (.cancel, request.sender, request.receiver)
      case .accepted(let request): (.accept, request.receiver, request.sender)
      case .rejected(let request): (.reject, request.receiver, request.sender)
      case .removed(let removed): (.remove, removed.user, removed.friend)
      }
    guard user == actor.id else { throw .notAuthorized }
    // The actor can accept a request even if the sender's profile is hidden, unless one of the two
    // users blocks the other. Only an import can leave a request between such users.
    let isSeen =
      action == .accept ? !states.isBlocked(user, other) : states.sees(other, user, rules)
    let command = FriendshipDecider.Command(
      action, other, hasProfile: states.exists(user), isSeen: isSeen)
    return try FriendshipDecider.decide(
      command, states.friendship(user, other), by: user, rules)
  }
}
