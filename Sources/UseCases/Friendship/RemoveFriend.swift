import Events

/// Ends a friendship.
public struct RemoveFriend: Command {
  public struct Input: UseCaseInput {
    public var friend: String

    public init(friend: String) { self.friend = friend }

    public init(from fields: inout Fields) throws(InputError) {
      friend = try fields.required("friend", "Who is no longer a friend.")
    }
  }

  public static let about = About(
    "RemoveFriend", .friends, "End a friendship",
    errors: ["notFriends", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: Input, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let other = try model.user(input.friend)
    try model.decide(
      FriendshipEvent.removed(FriendRemoved(user: actor, friend: other)), by: actor)
    return Nothing()
  }
}
