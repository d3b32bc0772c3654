import Events
import Projections

/// A workout that the caller may see, with its intervals.
public struct GetWorkoutDetail: Query {
  public static let about = About(
    "GetWorkoutDetail", .workouts, "Show a workout with its intervals",
    result: "the workout, with intervals, image, ocrConfidence, wasManuallyEdited and "
      + "detailCreatedAt",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> WorkoutDetail {
    let shared = try model.visible(input.workout, to: caller)
    return WorkoutDetail(
      Workout(shared, for: model.viewer(caller), in: model), model.views.detail(of: shared.workout),
      attached: model.views.times(of: shared.workout)?.attached)
  }
}
