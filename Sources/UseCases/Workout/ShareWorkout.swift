/// Shares a workout, or edits the one previously shared with the same local id.
public struct ShareWorkout: Command {
  public static let about = About(
    "ShareWorkout", .workouts, "Share a workout with friends; the same localID again edits it",
    result: "the workout's id", errors: shareErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutInput, in model: inout Model
  ) throws(UseCaseError) -> String { try model.share(input) }
}
