import Events

/// The owner of each workout, and the workouts and accounts that are gone.
///
/// The projections of chups, reactions, comments, metres and notifications each have a copy. It
/// tells them which workouts are gone, so that they remove the state of these workouts.
struct Ownership: Sendable {
  static let handles: EventTypes = [.workoutShared, .workoutRemoved, .accountDeleted]

  /// A workout's owner: 0 if the workout is unknown, 1 if it is gone, otherwise the number plus 2.
  private struct Place: Equatable, BitwiseCopyable, Sendable {
    static let (unknown, gone) = (Place(number: 0), Place(number: 1))
    static func owned(_ owner: UserID) -> Place { Place(number: owner.index &+ 2) }
    var number: UInt32
    var owner: UserID? { number < 2 ? nil : UserID(index: number - 2) }
  }

  private var places = Column(Place.unknown)
  private var workouts = Lists(blank: WorkoutID(index: 0))
  private var isDeleted = Column(false)

  /// Applies an event and returns the workouts that it removes.
  mutating func apply(_ event: borrowing WorkoutEvent) -> [WorkoutID] {
    switch event {
    case .shared(let data):
      guard places[data.workout.index] == .unknown, !isDeleted[data.owner.index] else { return [] }
      places[data.workout.index] = .owned(data.owner)
      workouts.append(data.workout, to: data.owner.index)
      return []
    case .removed(let data):
      if let owner = owner(of: data.workout) {
        workouts.removeAll(in: owner.index) { $0 == data.workout }
      }
      places[data.workout.index] = .gone
      return [data.workout]
    case .edited, .detailAttached: return []
    }
  }

  /// Deletes an account and returns its workouts.
  mutating func removeAccount(_ user: UserID) -> [WorkoutID] {
    isDeleted[user.index] = true
    let gone = Array(workouts[user.index])
    workouts.removeAll(in: user.index)
    for workout in gone { places[workout.index] = .gone }
    return gone
  }

  mutating func code(with coder: inout StateCoder) {
    places.code(with: &coder)
    workouts.code(with: &coder)
    isDeleted.code(with: &coder)
  }

  /// Returns the owner of a workout; nil if the workout is gone or unknown.
  func owner(of workout: WorkoutID) -> UserID? { places[workout.index].owner }

  /// Returns a user's workouts in the order in which they were shared.
  func workouts(of user: UserID) -> Swift.Slice<Slab<WorkoutID>> { workouts[user.index] }

  func isGone(_ workout: WorkoutID) -> Bool { places[workout.index] == .gone }
  func isGone(_ user: UserID) -> Bool { isDeleted[user.index] }
}
