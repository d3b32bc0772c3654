/// Chups a workout, or takes the chup back.
public struct ToggleChup: Command {
  public static let about = About(
    "ToggleChup", .chups, "Chup a workout, or take the chup back", result: "true: now chupped",
    errors: chupErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: WorkoutReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.chup(.toggle, input.workout) }
}
