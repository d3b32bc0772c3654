import Events

/// What may happen to one kind of aggregate: a state, how events change it, and which events a
/// command causes.
///
/// ```swift
/// var state = FollowDecider.initial
/// let events = try FollowDecider.decide(.init(.follow, bob, facts), state, by: alice, .climb)
/// for event in events { FollowDecider.evolve(&state, event) }
/// ```
/// Pure: no clock, no randomness, no I/O. What a decision needs to know of other aggregates comes
/// with the command, as facts; whoever gathers them states in the append which streams or which
/// position they were read at.
public protocol Decider {
  associatedtype State: Sendable
  associatedtype Command: Sendable

  /// The state before the first event of the stream.
  static var initial: State { get }
  /// Takes an event in, without judging it; one of another aggregate changes nothing.
  static func evolve(_ state: inout State, _ event: borrowing Event)
  /// The events that the command causes: none if it changes nothing.
  /// - Throws: the domain's refusal.
  static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event]
}
