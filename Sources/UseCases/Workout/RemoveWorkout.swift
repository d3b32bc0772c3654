import Events

/// Removes one of the caller's workouts, with its detail, chups and comments; a service removes
/// any.
public struct RemoveWorkout: Command {
  public static let about = About(
    "RemoveWorkout", .workouts, "Remove a workout, with its detail, chups and comments",
    errors: ownWorkoutErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actorOrService()
    let removed = WorkoutReference(workout: try model.workout(input.workout))
    try model.decide(WorkoutEvent.removed(removed), by: actor)
    return Nothing()
  }
}
