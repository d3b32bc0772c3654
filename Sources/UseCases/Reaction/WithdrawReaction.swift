import Events

/// Takes a reaction back; without one nothing happens, so a retry is harmless.
public struct WithdrawReaction: Command {
  public static let about = About(
    "WithdrawReaction", .reactions, "Take a reaction back",
    errors: ["unknownReaction", "workoutNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: ReactionInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    try model.react(ReactionEvent.withdrawn, input)
    return Nothing()
  }
}
