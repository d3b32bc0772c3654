/// Cancels a friend request that the caller sent.
public struct CancelFriendRequest: Command {
  public static let about = About(
    "CancelFriendRequest", .friends, "Take a request back", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: ReceiverInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing { try model.befriend(.cancel, input.receiver) }
}
