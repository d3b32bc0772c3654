import Events

/// One user's reactions to one workout: each kind at most once.
public enum ReactionDecider: Decider {
  /// The kinds that stand.
  public typealias State = ReactionKinds

  public struct Command: Sendable {
    public enum Action: Sendable { case give, withdraw }
    public var action: Action
    public var kind: ReactionKind
    public var workout: WorkoutID
    public var visibility: Visibility

    public init(
      _ action: Action, _ kind: ReactionKind, _ workout: WorkoutID, _ visibility: Visibility
    ) {
      self.action = action
      self.kind = kind
      self.workout = workout
      self.visibility = visibility
    }
  }

  public static var initial: ReactionKinds { [] }

  public static func evolve(_ state: inout ReactionKinds, _ event: borrowing ReactionEvent) {
    switch event {
    case .given(let reaction): state.insert(ReactionKinds(reaction.kind))
    case .withdrawn(let reaction): state.remove(ReactionKinds(reaction.kind))
    }
  }

  /// Withdrawing needs no visibility of the item, and the rules need not offer the kind any more.
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
