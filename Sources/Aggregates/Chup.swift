import Events

/// One user's chup on one workout.
public enum ChupDecider: Decider {
  public enum State: UInt8, Sendable { case none, chup, big }

  public struct Command: Sendable {
    public enum Action: Sendable { case toggle, giveBig }
    public var action: Action
    public var workout: WorkoutID
    public var sight: Sight

    public init(_ action: Action, _ workout: WorkoutID, _ sight: Sight) {
      self.action = action
      self.workout = workout
      self.sight = sight
    }
  }

  public static var initial: State { .none }

  public static func evolve(_ state: inout State, _ event: borrowing Event) {
    switch event {
    case .chupGiven(let chup): state = chup.big ? .big : .chup
    case .chupWithdrawn: state = .none
    default: break
    }
  }

  /// - Throws: `workoutNotFound`, `notVisible`.
  public static func decide(
    _ command: Command, _ state: State, by actor: UserID, _ rules: Rules
  ) throws(DomainError) -> [Event] {
    try command.sight.check()
    let workout = command.workout
    switch (command.action, state) {
    case (.toggle, .none): return [.chupGiven(ChupGiven(workout: workout, user: actor, big: false))]
    case (.toggle, _): return [.chupWithdrawn(ChupWithdrawn(workout: workout, user: actor))]
    case (.giveBig, .big): return []
    case (.giveBig, _): return [.chupGiven(ChupGiven(workout: workout, user: actor, big: true))]
    }
  }
}

/// What somebody may know of a workout: whether it exists, and whether they are its owner or a
/// friend of the owner.
public enum Sight: Sendable {
  case nothing, hidden, visible

  func check() throws(DomainError) {
    switch self {
    case .nothing: throw .workoutNotFound
    case .hidden: throw .notVisible
    case .visible: break
    }
  }
}
