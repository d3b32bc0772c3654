import Events

let chupErrors = ["workoutNotFound", "notVisible", "profileNotFound", "unauthorized"]

/// Chups a workout; a chup that is there stays as it is, so a retry is harmless.
public struct GiveChup: Command {
  public static let about = About("GiveChup", .chups, "Chup a workout", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    try model.decide(
      ChupEvent.given(ChupGiven(workout: workout, user: actor, big: false)), by: actor)
    return Nothing()
  }
}
