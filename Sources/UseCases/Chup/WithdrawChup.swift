import Events

/// Takes a chup back, big or not; without one nothing happens, so a retry is harmless.
public struct WithdrawChup: Command {
  public static let about = About(
    "WithdrawChup", .chups, "Take a chup back",
    errors: ["workoutNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    try model.decide(
      ChupEvent.withdrawn(ChupWithdrawn(workout: workout, user: actor)), by: actor)
    return Nothing()
  }
}
