/// Rejects a friend request; either user may ask again.
public struct RejectFriendRequest: Command {
  public static let about = About(
    "RejectFriendRequest", .friends, "Reject a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: SenderInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing { try model.befriend(.reject, input.sender) }
}
