import Events

/// Ends a block; what it ended does not come back.
public struct UnblockUser: Command {
  public static let about = About(
    "UnblockUser", .blocks, "No longer block a user",
    errors: ["cannotBlockSelf", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: BlockedInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let block = Block(user: actor, other: try model.user(input.user))
    try model.decide(BlockEvent.unblocked(block), by: actor)
    return Nothing()
  }
}
