import Events

/// Reacts to a workout; a reaction that is there stays as it is, so a retry is harmless.
public struct GiveReaction: Command {
  public static let about = About(
    "GiveReaction", .reactions, "React to a workout, in each way at most once",
    errors: [
      "unknownReaction", "workoutNotFound", "notVisible", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: ReactionInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    try model.react(ReactionEvent.given, input)
    return Nothing()
  }
}
