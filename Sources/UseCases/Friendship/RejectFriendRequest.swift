import Events

/// Rejects a friend request; either user may ask again.
public struct RejectFriendRequest: Command {
  public static let about = About(
    "RejectFriendRequest", .friends, "Reject a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: SenderInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.sender)
    let request = FriendRequest(sender: other, receiver: actor)
    try model.decide(FriendshipEvent.rejected(request), by: actor)
    return Nothing()
  }
}
