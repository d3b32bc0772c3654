import Events

/// Gives a workout a big chup, replacing a plain one.
public struct GiveBigChup: Command {
  public static let about = About(
    "GiveBigChup", .chups, "Give a workout a big chup", errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    try model.decide(
      ChupEvent.given(ChupGiven(workout: workout, user: actor, big: true)), by: actor)
    return Nothing()
  }
}
