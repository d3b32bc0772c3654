import Aggregates
import Events
import Projections

let shareErrors = [
  "profileNotFound", "invalidWorkout", "workoutNotFound", "notAuthorized", "unauthorized",
]

let ownWorkoutErrors = [
  "workoutNotFound", "notVisible", "notAuthorized", "profileNotFound", "unauthorized",
]

extension Model {
  mutating func share(_ input: WorkoutInput) throws(UseCaseError) -> String {
    let actor = try actor()
    if let name = input.workout, !isValidID(name.utf8) {
      throw .invalidInput(InputError("workout", idRule))
    }
    let earlier = society.earlier(actor, input.localID)
    let id = try workout(input.workout ?? earlier.map { names[$0] } ?? newID())
    try decide(WorkoutEvent.shared(input.shared(id, by: actor)), by: actor)
    return names[earlier ?? id]
  }
}
