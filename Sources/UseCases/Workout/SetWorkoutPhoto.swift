import Events

/// Records that a workout's photo was stored.
struct SetWorkoutPhoto: Command {
  struct Input: UseCaseInput {
    var workout: String
    var path: String

    init(workout: String, path: String) { (self.workout, self.path) = (workout, path) }

    init(from fields: inout Fields) throws(InputError) {
      throw InputError("with", "not to be performed by name")
    }
  }

  static let about = About("SetWorkoutPhoto", .workouts, "Attach the photo that was stored")
  let core: Core
  init(_ core: Core) { self.core = core }

  func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let id = try model.workout(input.workout)
    var detail = WorkoutDetailAttached(
      workout: id, intervals: [], image: nil, ocrConfidence: nil, wasManuallyEdited: false)
    if case .shared(_, let old?) = model.society.workout(id) { detail = old }
    detail.image = input.path
    try model.decide(WorkoutEvent.detailAttached(detail), by: actor)
    return Nothing()
  }
}
