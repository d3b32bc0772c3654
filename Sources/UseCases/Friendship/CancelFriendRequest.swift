import Events

/// Cancels a friend request that the caller sent.
public struct CancelFriendRequest: Command {
  public static let about = About(
    "CancelFriendRequest", .friends, "Take a request back", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: ReceiverInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.receiver)
    let request = FriendRequest(sender: actor, receiver: other)
    try model.decide(FriendshipEvent.cancelled(request), by: actor)
    return Nothing()
  }
}
