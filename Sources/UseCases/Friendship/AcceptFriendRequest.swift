/// Accepts a friend request.
public struct AcceptFriendRequest: Command {
  public static let about = About(
    "AcceptFriendRequest", .friends, "Accept a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: SenderInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing { try model.befriend(.accept, input.sender) }
}
