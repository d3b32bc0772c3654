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
/// about other aggregates. The caller that reads these facts (`Decidable`) appends the event with
/// the stream revisions, or the position, at which it read them.
/// - Complexity: O(1) without allocation for follows, friendships and chups; O(length) for texts.
public protocol Decider {
  /// The state of an aggregate.
  associatedtype State: Sendable
  /// A command, with the facts about other aggregates that it depends on.
  associatedtype Command: Sendable
  /// The events of the aggregate's streams.
  associatedtype Family: EventFamily

  /// The state before the first event of the stream.
  static var initial: State { get }
  /// Applies an event without checking it.
  static func evolve(_ state: inout State, _ event: borrowing Family)
  /// Returns the one event that a command causes; nil if the command changes nothing.
  /// - Throws: The error with which the domain refuses the command.
  static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event?
}

extension Decider {
  /// Applies an event without checking it; an event of another kind of aggregate changes nothing.
  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    if let event = Family(event) { evolve(&state, event) }
  }

  /// Decides a command that may have no actor.
  /// - Throws: `unauthorized` if `actor` is nil, otherwise the domain's refusal.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard let actor else { throw .unauthorized }
    return try decide(command, state, by: actor, rules)
  }
}

/// A command that can read its facts from the states, such as an event to record.
package protocol Decidable {
  /// Reads the facts that the command depends on, and passes them to its decider.
  /// - Parameter time: The time of recording; nil if dates are not checked against it.
  /// - Returns: The event to record; nil if the command changes nothing.
  func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event?
}

/// A service may only record subscriptions, close reports and remove reported content: any workout,
/// comment, message or group, and the texts and the photo of a profile.
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
    // The app decides about its own events.
    case .app: return self
    }
  }
}
