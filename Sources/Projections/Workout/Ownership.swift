import Events

/// Who owns which workout, and which workouts and accounts are gone: projections of chups,
/// comments, metres and notifications remove their own state accordingly.
struct Ownership: Sendable {
  static let handles: EventTypes = [.workoutShared, .workoutRemoved, .accountDeleted]

  private enum Place: Equatable, Sendable {
    case unknown, gone
    case owned(UserID)
  }

  private var places = Column(Place.unknown)
  private var workouts = Column([WorkoutID]())
  private var isDeleted = Column(false)

  /// Applies an event.
  /// - Returns: the workouts that it removes.
  mutating func apply(_ event: borrowing WorkoutEvent) -> [WorkoutID] {
    switch event {
    case .shared(let data):
      guard places[data.workout.index] == .unknown, !isDeleted[data.owner.index] else { return [] }
      places[data.workout.index] = .owned(data.owner)
      workouts[data.owner.index].append(data.workout)
      return []
    case .removed(let data):
      if let owner = owner(of: data.workout) {
        workouts[owner.index].removeAll { $0 == data.workout }
      }
      places[data.workout.index] = .gone
      return [data.workout]
    case .edited, .detailAttached: return []
    }
  }

  /// Applies the deletion of an account.
  /// - Returns: the workouts that it removes.
  mutating func forget(_ user: UserID) -> [WorkoutID] {
    isDeleted[user.index] = true
    let gone = workouts[user.index]
    workouts[user.index] = []
    for workout in gone { places[workout.index] = .gone }
    return gone
  }

  mutating func code(with coder: inout StateCoder) {
    places.code(with: &coder)
    workouts.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// The owner of a workout; nil if the workout is gone.
  func owner(of workout: WorkoutID) -> UserID? {
    if case .owned(let owner) = places[workout.index] { return owner }
    return nil
  }

  func isGone(_ workout: WorkoutID) -> Bool { places[workout.index] == .gone }
  func isGone(_ user: UserID) -> Bool { isDeleted[user.index] }
}
