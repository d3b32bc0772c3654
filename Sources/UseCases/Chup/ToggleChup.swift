import Aggregates
import Events

/// Chups a workout, or takes the chup back.
public struct ToggleChup: Command {
  public static let about = About(
    "ToggleChup", .chups, "Chup a workout, or take the chup back", result: "true: now chupped",
    errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let workout = try model.workout(input.workout)
    let stands = model.society.chup(workout, actor) != .none
    let event: ChupEvent =
      stands
      ? .withdrawn(ChupWithdrawn(workout: workout, user: actor))
      : .given(ChupGiven(workout: workout, user: actor, big: false))
    try model.decide(event, by: actor)
    return !stands
  }
}
