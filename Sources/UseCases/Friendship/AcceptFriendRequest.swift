import Events

let requestErrors = ["noSuchRequest", "profileNotFound", "unauthorized"]

/// Accepts a friend request.
public struct AcceptFriendRequest: Command {
  public static let about = About(
    "AcceptFriendRequest", .friends, "Accept a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: SenderInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.sender)
    let request = FriendRequest(sender: other, receiver: actor)
    try model.decide(FriendshipEvent.accepted(request), by: actor)
    return Nothing()
  }
}
