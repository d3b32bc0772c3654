import Events

/// Decides about one user's chup on one workout. A chup is a like.
public enum ChupDecider: Decider {
  /// The user's chup: none, a normal one or a big one.
  public enum State: UInt8, Sendable { case none, chup, big }

  /// A command of the user who gives the chup.
  public struct Command: Sendable {
    /// The action: to give a chup, to give a big one, or to withdraw either.
    public enum Action: Sendable { case give, giveBig, withdraw }
    /// The action to perform.
    public var action: Action
    /// The workout that the chup is for.
    public var workout: WorkoutID
    /// The visibility of the workout for the actor.
    public var visibility: Visibility

    /// Creates a command.
    public init(_ action: Action, _ workout: WorkoutID, _ visibility: Visibility) {
      (self.action, self.workout, self.visibility) = (action, workout, visibility)
    }
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing ChupEvent) {
    switch event {
    case .given(let chup): state = chup.big ? .big : .chup
    case .withdrawn: state = .none
    }
  }

  /// Returns the event that gives or withdraws a chup; nil if nothing would change.
  ///
  /// Giving a normal chup does not replace a big one. Withdrawing removes a normal or a big chup,
  /// even if the actor cannot see the workout.
  /// - Throws: `profileNotFound`, `workoutNotFound`, `notVisible`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> Event? {
    if command.action == .withdraw {
      try command.visibility.checkProfile()
    } else {
      try command.visibility.check()
    }
    let workout = command.workout
    switch (command.action, state) {
    case (.give, .chup), (.give, .big), (.giveBig, .big), (.withdraw, .none): return nil
    case (.give, .none):
      return .chup(.given(ChupGiven(workout: workout, user: actor, big: false)))
    case (.giveBig, .none), (.giveBig, .chup):
      return .chup(.given(ChupGiven(workout: workout, user: actor, big: true)))
    case (.withdraw, _):
      return .chup(.withdrawn(ChupWithdrawn(workout: workout, user: actor)))
    }
  }
}

extension ChupEvent: Decidable {
  package func decide(
    in states: AggregateStates, by actor: EventActor, at time: Timestamp?, _ rules: Rules
  ) throws(DomainError) -> Event? {
    let (action, workout, user): (ChupDecider.Command.Action, WorkoutID, UserID) =
      switch self {
      case .given(let chup): (chup.big ? .giveBig : .give, chup.workout, chup.user)
      case .withdrawn(let chup): (.withdraw, chup.workout, chup.user)
      }
    guard user == actor.id else { throw .notAuthorized }
    let command = ChupDecider.Command(action, workout, states.visibility(workout, user, rules))
    return try ChupDecider.decide(command, states.chup(workout, user), by: user, rules)
  }
}
