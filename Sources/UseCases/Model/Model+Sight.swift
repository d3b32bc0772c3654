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
    guard let viewer = caller.user.flatMap(existing), sight(shared.owner, viewer) == .visible
    else { throw .refused(.notVisible) }
    return shared
  }

  /// What a viewer may see of an owner's workouts; both must have a profile.
  private func sight(_ owner: UserID, _ viewer: UserID) -> Sight {
    Sight(
      viewer: viewer, hasProfile: true, owner: owner,
      views.relationships[viewer, owner] == .friends ? .friends : .none)
  }
}
