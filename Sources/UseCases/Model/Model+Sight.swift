import Aggregates
import Events
import Projections

extension Model {
  /// A workout that the caller may see.
  /// - Throws: `workoutNotFound`, `notVisible`.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = views.find(workout: workout, in: names), let shared = views.workout(id) else {
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
      views.relationship(of: viewer, to: owner) == .friends ? .friends : .none)
  }
}
