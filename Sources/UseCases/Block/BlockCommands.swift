import Events

/// The input of the commands that block or unblock a user.
public struct BlockedInput: UseCaseInput {
  /// The id of the user to block or unblock.
  public var user: String

  /// Creates the input.
  public init(user: String) { self.user = user }

  public static var placeholder: BlockedInput { BlockedInput(user: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("user", "The id of the user to block or unblock.", &user)
  }
}

/// Blocks a user, and ends the follows, the friendship and the requests between the two users.
///
/// The command appends all these events in one commit. The events that end relationships name the
/// block as their cause. `UnblockUser` does not restore the relationships.
public struct BlockUser: SilentCommand {
  public static let about = About(
    "BlockUser", .blocks, "Block a user, and end follows, friendship and requests between the two",
    errors: ["cannotBlockSelf", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: BlockedInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let other = try model.user(input.user)
    let blocked = Event.block(.blocked(Block(user: actor, other: other)))
    guard try model.decide(blocked, by: actor) != nil else { return }
    model.draft.cause = model.draft.events.count - 1
    defer { model.draft.cause = nil }
    for edge in [
      Follow(follower: actor, followee: other), Follow(follower: other, followee: actor),
    ]
    where model.aggregates.value.isFollowing(edge) {
      try model.decide(FollowEvent.unfollowed(edge), by: actor)
    }
    let sent = FriendRequest(sender: actor, receiver: other)
    switch model.aggregates.value.friendship(actor, other) {
    case .none: break
    case .friends:
      let removed = FriendRemoved(user: actor, friend: other)
      try model.decide(FriendshipEvent.removed(removed), by: actor)
    case .pending(sender: actor): try model.decide(FriendshipEvent.cancelled(sent), by: actor)
    case .pending:
      let received = FriendRequest(sender: other, receiver: actor)
      try model.decide(FriendshipEvent.rejected(received), by: actor)
    }
  }
}

/// Unblocks a user. Does not restore the relationships that the block ended.
public struct UnblockUser: SilentCommand {
  public static let about = About(
    "UnblockUser", .blocks, "Unblock a user",
    errors: ["cannotBlockSelf", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: BlockedInput, in model: inout Model) throws(UseCaseError) {
    let block = Block(user: try model.actor(), other: try model.user(input.user))
    try model.decide(BlockEvent.unblocked(block), by: block.user)
  }
}
