/// A workout, visible to its owner and the owner's friends.
public struct GetWorkout: Query {
  public static let about = About(
    "GetWorkout", .workouts, "Show a workout", result: "the workout",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Workout {
    Workout(try model.visible(input.workout, to: caller), model.names)
  }
}

public typealias RefreshWorkout = Refresh<GetWorkout>
