import Events

/// Decides about one message, which is sent once and can be removed for good.
public enum MessageDecider: Decider {
  /// The state of a message.
  public enum State: Equatable, Sendable {
    /// `none`: the message does not exist. `removed`: it was removed.
    case none, removed
    /// The message, as it was sent.
    case sent(MessageSent)
  }

  /// A command about one message.
  public enum Command: Sendable {
    /// Sends a message. `isSeen`: whether the sender can see the receiver's profile. `mayWrite`:
    /// whether the rules allow messages between the two users.
    case send(MessageSent, hasProfile: Bool, isSeen: Bool, mayWrite: Bool)
    /// Removes the message for both users.
    case remove(MessageID, hasProfile: Bool, byService: Bool)
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing ConversationEvent) {
    switch event {
    case .sent(let message): if state == .none { state = .sent(message) }
    case .removed: state = .removed
    case .read: break
    }
  }

  /// Returns the event that a command causes; nil if nothing would change. Sending the same message
  /// again returns nil, so a retry succeeds.
  /// - Throws: `profileNotFound`, `notVisible`, `notAuthorized` (also if another message has the
  ///   id), `messageEmpty`, `messageTooLong`, `messageNotFound`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch command {
    case .send(var message, let hasProfile, let isSeen, let mayWrite):
      guard hasProfile else { throw .profileNotFound }
      // A retry of a sent message succeeds, even if the relationship has changed since then.
      if case .sent(let old) = state, old.sender == actor {
        message.text = trimmed(message.text)
        if old == message, same(old.text, message.text) { return nil }
      }
      guard isSeen else { throw .profileNotFound }
      guard message.sender == actor else { throw .notAuthorized }
      guard mayWrite else { throw .notVisible }
      message.text = try rules.message(message.text)
      guard state == .none else { throw .notAuthorized }
      return .conversation(.sent(message))
    case .remove(let id, let hasProfile, let byService):
      guard hasProfile || byService else { throw .profileNotFound }
      guard case .sent(let message) = state,
        byService || [message.sender, message.receiver].contains(actor)
      else { throw .messageNotFound }
      guard message.sender == actor || byService else { throw .notAuthorized }
      return .conversation(
        .removed(
          MessageRemoved(message: id, sender: message.sender, receiver: message.receiver)))
    }
  }
}

extension ConversationEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let user = actor.id
    switch self {
    case .sent(let data):
      let command = MessageDecider.Command.send(
        data, hasProfile: states.exists(user), isSeen: states.sees(data.receiver, user, rules),
        mayWrite: states.mayWrite(data.sender, data.receiver, rules))
      return try MessageDecider.decide(
        command, states.message(data.message), by: user, rules)
    case .removed(let data):
      let command = MessageDecider.Command.remove(
        data.message, hasProfile: states.exists(user), byService: actor.isService)
      return try MessageDecider.decide(
        command, states.message(data.message), by: user, rules)
    case .read(let data):
      try states.checkReader(data.user, actor)
      return .conversation(self)
    }
  }
}

extension NotificationEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch self {
    case .read(let data):
      try states.checkReader(data.user, actor)
      return .notification(self)
    }
  }
}

extension AggregateStates {
  /// Checks that `user` is the actor and has a profile. Only such a user can mark messages or
  /// notifications as read.
  fileprivate func checkReader(_ user: UserID, _ actor: EventActor) throws(DomainError) {
    guard user == actor.id else { throw .notAuthorized }
    guard exists(user) else { throw .profileNotFound }
  }
}
