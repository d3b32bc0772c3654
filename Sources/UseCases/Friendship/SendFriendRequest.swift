import Events

/// Asks a user to be friends.
public struct SendFriendRequest: Command {
  public static let about = About(
    "SendFriendRequest", .friends, "Ask a user to be friends",
    errors: [
      "cannotFriendSelf", "alreadyRequested", "alreadyReceived", "alreadyFriends",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: ReceiverInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.receiver)
    let request = FriendRequest(sender: actor, receiver: other)
    try model.decide(FriendshipEvent.requested(request), by: actor)
    return Nothing()
  }
}
