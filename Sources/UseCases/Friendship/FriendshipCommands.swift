import Aggregates

/// The input of commands about a request that the caller sends.
public struct ReceiverInput: UseCaseInput {
  public var receiver: String

  public init(receiver: String) { self.receiver = receiver }

  public init(from fields: inout Fields) throws(InputError) {
    receiver = try fields.required("receiver", "Who is asked.")
  }
}

/// The input of commands about a request that the caller received.
public struct SenderInput: UseCaseInput {
  public var sender: String

  public init(sender: String) { self.sender = sender }

  public init(from fields: inout Fields) throws(InputError) {
    sender = try fields.required("sender", "Who asked.")
  }
}

/// Asks a user to be friends.
public struct SendFriendRequest: SilentCommand {
  public static let about = About(
    "SendFriendRequest", .friends, "Ask a user to be friends",
    errors: [
      "cannotFriendSelf", "alreadyRequested", "alreadyReceived", "alreadyFriends",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReceiverInput, in model: inout Model) throws(UseCaseError) {
    try model.befriend(.request, input.receiver)
  }
}

/// Cancels a friend request that the caller sent.
public struct CancelFriendRequest: SilentCommand {
  public static let about = About(
    "CancelFriendRequest", .friends, "Take a request back", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReceiverInput, in model: inout Model) throws(UseCaseError) {
    try model.befriend(.cancel, input.receiver)
  }
}

/// Accepts a friend request.
public struct AcceptFriendRequest: SilentCommand {
  public static let about = About(
    "AcceptFriendRequest", .friends, "Accept a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: SenderInput, in model: inout Model) throws(UseCaseError) {
    try model.befriend(.accept, input.sender)
  }
}

/// Rejects a friend request. Either user may ask again.
public struct RejectFriendRequest: SilentCommand {
  public static let about = About(
    "RejectFriendRequest", .friends, "Reject a request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: SenderInput, in model: inout Model) throws(UseCaseError) {
    try model.befriend(.reject, input.sender)
  }
}

/// Ends a friendship.
public struct RemoveFriend: SilentCommand {
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    try model.befriend(.remove, input.friend)
  }
}

private let requestErrors = ["noSuchRequest", "profileNotFound", "unauthorized"]

extension Model {
  fileprivate mutating func befriend(
    _ action: FriendshipDecider.Command.Action, _ name: String
  ) throws(UseCaseError) {
    let actor = try actor()
    let other = try user(name)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, actor, other, actor, rules)
    }
  }
}
