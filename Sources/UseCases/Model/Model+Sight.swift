import Aggregates
import Events
import Projections

extension Model {
  /// A workout that the caller may see.
  /// - Throws: `workoutNotFound`, `notVisible`.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = names.find(workout: workout), let shared = views.workouts[id] else {
      throw .refused(.workoutNotFound)
    }
    guard let viewer = caller.user.flatMap(existing), canSee(viewer, of: shared.owner) else {
      throw .refused(.notVisible)
    }
    return shared
  }

  func canSee(_ viewer: UserID, of owner: UserID) -> Bool {
    viewer == owner || views.relationships[viewer, owner] == .friends
  }
}
