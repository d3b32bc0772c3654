import Events

/// What may happen to one kind of aggregate: a state, how events change it, and which events a
/// command causes.
///
/// ```swift
/// var state = FollowDecider.initial
/// let command = FollowDecider.Command(.follow, bob, isSeen: true)
/// if let event = try FollowDecider.decide(command, state, by: alice, .climb) {
///   FollowDecider.evolve(&state, event)
/// }
/// ```
/// It is pure: no clock, no randomness, no I/O. Facts about other aggregates come with the command;
/// the caller that reads them (`Decidable`) appends with the stream revisions, or the position, at
/// which it read them.
/// - Complexity: O(1) and without allocation for follows, friendships and chups; O(length) where
///   there are texts.
public protocol Decider {
  associatedtype State: Sendable
  associatedtype Command: Sendable
  /// The events that its streams have.
  associatedtype Family: EventFamily

  /// The state before the first event of the stream.
  static var initial: State { get }
  /// Applies an event without judging it.
  static func evolve(_ state: inout State, _ event: borrowing Family)
  /// The event that the command causes; nil if it changes nothing. No command causes two.
  /// - Throws: the domain's refusal.
  static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event?
}

extension Decider {
  /// Applies an event without judging it; an event of another aggregate changes nothing.
  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    if let event = Family(event) { evolve(&state, event) }
  }

  /// Decides, where there may be no actor.
  /// - Throws: `unauthorized` if `actor` is nil, else the domain's refusal.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    guard let actor else { throw .unauthorized }
    return try decide(command, state, by: actor, rules)
  }
}

/// An event as a command: to record it, if the domain allows it.
package protocol Decidable {
  /// Looks up the facts that the command depends on, and lets its decider decide.
  /// - Parameter time: when the event is recorded; nil if the dates in it may be any.
  /// - Returns: the event to record; nil if the command changes nothing.
  func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event?
}

/// A service records subscriptions, closes reports, and may remove reported content: any item,
/// comment, message or group, and the texts of a profile. It may do nothing else.
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
