import Events

/// The relationship between two users, the same from either side.
public enum FriendshipDecider: Decider {
  public enum State: Equatable, Sendable {
    case none, friends
    case pending(sender: UserID)
  }

  public struct Command: Sendable {
    public enum Action: Sendable { case request, cancel, accept, reject, remove }
    public var action: Action
    public var other: UserID
    /// Whether the actor has a profile.
    public var hasProfile: Bool
    /// Whether the actor sees that of the other; of one whose request the actor accepts, whether
    /// neither has blocked the other.
    public var isSeen: Bool

    public init(_ action: Action, _ other: UserID, hasProfile: Bool = true, isSeen: Bool) {
      self.action = action
      self.other = other
      self.hasProfile = hasProfile
      self.isSeen = isSeen
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

  /// Only asking and accepting need visibility.
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
    // A standing request may be accepted, however private its sender is. But an import can leave
    // one beside a block.
    let isSeen =
      action == .accept ? !states.isBlocked(user, other) : states.sees(other, user, rules)
    let command = FriendshipDecider.Command(
      action, other, hasProfile: states.exists(user), isSeen: isSeen)
    return try FriendshipDecider.decide(
      command, states.friendship(user, other), by: user, rules)
  }
}
