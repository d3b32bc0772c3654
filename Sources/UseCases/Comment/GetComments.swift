import Aggregates
import Events
import Projections

/// The comments on a workout.
public struct GetComments: Query {
  public static let about = About(
    "GetComments", .comments, "Show the comments on a workout",
    result: "the latest 100 comments, oldest first, with hearts and heartedByMe",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [CommentRow] {
    let workout = try model.visible(input.workout, to: caller).workout
    let viewer = model.viewer(caller)
    let latest = model.views.comments(on: workout).lazy.reversed().compactMap {
      CommentRow($0, for: viewer, in: model)
    }
    return latest.prefix(100).reversed()
  }
}
