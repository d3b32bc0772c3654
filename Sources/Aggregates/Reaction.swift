import Events

/// Decides about one user's reactions to one workout. A user has at most one reaction of each kind.
public enum ReactionDecider: Decider {
  /// The kinds of the user's current reactions.
  public typealias State = ReactionKinds

  /// A command of the user who reacts.
  public struct Command: Sendable {
    /// The action: to give a reaction or to withdraw it.
    public enum Action: Sendable { case give, withdraw }
    /// The action to perform.
    public var action: Action
    /// The kind of reaction.
    public var kind: ReactionKind
    /// The workout that the reaction is for.
    public var workout: WorkoutID
    /// The visibility of the workout for the actor.
    public var visibility: Visibility

    /// Creates a command.
    public init(
      _ action: Action, _ kind: ReactionKind, _ workout: WorkoutID, _ visibility: Visibility
    ) {
      (self.action, self.kind, self.workout, self.visibility) = (action, kind, workout, visibility)
    }
  }

  public static var initial: ReactionKinds { [] }

  public static func evolve(_ state: inout ReactionKinds, _ event: borrowing ReactionEvent) {
    switch event {
    case .given(let reaction): state.insert(ReactionKinds(reaction.kind))
    case .withdrawn(let reaction): state.remove(ReactionKinds(reaction.kind))
    }
  }

  /// Returns the event that gives or withdraws the reaction; nil if nothing would change.
  ///
  /// Withdrawing works even if the actor cannot see the workout or the rules do not offer the kind.
  /// - Throws: `unknownReaction`, `profileNotFound`, `workoutNotFound`, `notVisible`.
  public static func decide(
    _ command: Command, _ state: ReactionKinds, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let stands = state.contains(ReactionKinds(command.kind))
    let reaction = Reaction(workout: command.workout, user: actor, kind: command.kind)
    switch command.action {
    case .give:
      guard rules.reactions.contains(command.kind) else { throw .unknownReaction }
      try command.visibility.check()
      return stands ? nil : .reaction(.given(reaction))
    case .withdraw:
      try command.visibility.checkProfile()
      return stands ? .reaction(.withdrawn(reaction)) : nil
    }
  }
}

extension ReactionEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (action, reaction): (ReactionDecider.Command.Action, Reaction) =
      switch self {
      case .given(let reaction): (.give, reaction)
      case .withdrawn(let reaction): (.withdraw, reaction)
      }
    let (workout, user) = (reaction.workout, reaction.user)
    guard user == actor.id else { throw .notAuthorized }
    let command = ReactionDecider.Command(
      action, reaction.kind, workout, states.visibility(workout, user, rules))
    return try ReactionDecider.decide(command, states.reactions(workout, user), by: user, rules)
  }
}
