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
/// It is pure: no clock, no randomness, no I/O. What a decision needs to know about other
/// aggregates comes with the command, as facts; the caller that gathers them appends with the
/// stream revisions, or the position, at which it read them.
/// - Complexity: O(1) and without allocation for follows, friendships, chups and hearts; O(length)
///   where there are texts.
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
