import Events

/// The rules for one kind of aggregate: its state, how events change it, and which event a command
/// causes.
///
/// ```swift
/// var state = FollowDecider.initial
/// let command = FollowDecider.Command(.follow, bob, isSeen: true)
/// if let event = try FollowDecider.decide(command, state, by: alice, .climb) {
///   FollowDecider.evolve(&state, event)
/// }
/// ```
/// A decider is pure: it uses no clock, no randomness and no I/O. A command contains the facts
/// about other aggregates on which the decision depends. The caller reads these facts (see
/// `Decidable`). It appends the event with the stream revisions, or the log position, at which it
/// read them. If they have changed since then, the append fails.
/// - Complexity: O(1) without allocation for follows, friendships and chups; O(length of the text)
///   for commands with a text.
public protocol Decider {
  /// The state of an aggregate.
  associatedtype State: Sendable
  /// A command, with the facts about other aggregates that it depends on.
  associatedtype Command: Sendable
  /// The events of the aggregate's streams.
  associatedtype Family: EventFamily

  /// The state before the first event of the stream.
  static var initial: State { get }
  /// Updates the state with an event, without checking whether the event is possible.
  static func evolve(_ state: inout State, _ event: borrowing Family)
  /// Returns the one event that a command causes; nil if the command would change nothing.
  /// - Throws: The reason why the domain refuses the command.
  static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event?
}

extension Decider {
  /// Updates the state with an event, without checking whether the event is possible. An event of
  /// another kind of aggregate changes nothing.
  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    if let event = Family(event) { evolve(&state, event) }
  }

  /// Decides a command whose caller may be unknown.
  /// - Throws: `unauthorized` if `actor` is nil, otherwise the domain's refusal.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard let actor else { throw .unauthorized }
    return try decide(command, state, by: actor, rules)
  }
}

/// A command that can read the facts it depends on from the states of all aggregates. An event that
/// a caller wants to record is such a command.
package protocol Decidable {
  /// Reads the facts that the command depends on, and passes them to its decider.
  /// - Parameter time: The time at which the event is recorded. A workout's date must not be much
  ///   later; nil skips this check.
  /// - Returns: The event to record; nil if the command changes nothing.
  func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event?
}

/// If the actor is a service, the event may only record a subscription, close a report or remove
/// content: any workout, comment, message or group, or a profile's texts and photo.
extension Event: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    switch self {
    case .profile(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .accountDeleted(let data):
      let command = ProfileDecider.Command.delete(
        data.user, ownsGroups: !states.groups(ownedBy: data.user).isEmpty)
      return try ProfileDecider.decide(command, states.profile(actor.id), by: actor.id, rules)
    case .follow(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .friendship(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .workout(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .chup(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .comment(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .heart(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .block(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .reaction(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .group(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .member(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .conversation(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .notification(let event): return try event.decide(in: states, by: actor, at: time, rules)
    case .report(let event): return try event.decide(in: states, by: actor, at: time, rules)
    // The app itself decides about its own event types.
    case .app: return self
    }
  }
}
