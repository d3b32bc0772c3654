/// A workout that the caller may see.
public struct GetWorkout: Query {
  public static let about = About(
    "GetWorkout", .workouts, "Show a workout", result: "the workout",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Workout {
    Workout(try model.visible(input.workout, to: caller), for: model.viewer(caller), in: model)
  }
}
