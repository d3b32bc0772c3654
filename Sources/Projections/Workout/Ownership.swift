import Events

/// Who owns which workout, and which workouts and accounts are gone: what chups, comments, meters
/// and notifications need to know to disappear with them.
struct Ownership: Sendable {
  static let handles: EventTypes = [.workoutShared, .workoutRemoved, .accountDeleted]

  private enum Place: Equatable, Sendable {
    case unknown, gone
    case owned(UserID)
  }

  private var places = Column(Place.unknown)
  private var workouts = Column([WorkoutID]())
  private var isDeleted = Column(false)

  /// Takes an event in.
  /// - Returns: the workouts that go away with it.
  mutating func apply(_ event: borrowing Event) -> [WorkoutID] {
    switch event {
    case .workout(.shared(let data)):
      guard places[data.workout.index] == .unknown, !isDeleted[data.owner.index] else { return [] }
      places[data.workout.index] = .owned(data.owner)
      workouts[data.owner.index].append(data.workout)
      return []
    case .workout(.removed(let data)):
      if let owner = owner(of: data.workout) {
        workouts[owner.index].removeAll { $0 == data.workout }
      }
      places[data.workout.index] = .gone
      return [data.workout]
    case .accountDeleted(let data):
      isDeleted[data.user.index] = true
      let gone = workouts[data.user.index]
      workouts[data.user.index] = []
      for workout in gone { places[workout.index] = .gone }
      return gone
    default: return []
    }
  }

  mutating func code(with coder: inout StateCoder) {
    places.code(with: &coder)
    workouts.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// The owner of a workout that is there.
  func owner(of workout: WorkoutID) -> UserID? {
    if case .owned(let owner) = places[workout.index] { return owner }
    return nil
  }

  func isGone(_ workout: WorkoutID) -> Bool { places[workout.index] == .gone }
  func isGone(_ user: UserID) -> Bool { isDeleted[user.index] }
}
