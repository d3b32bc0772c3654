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
  ) throws(UseCaseError) -> Nothing { try model.befriend(.request, input.receiver) }
}
