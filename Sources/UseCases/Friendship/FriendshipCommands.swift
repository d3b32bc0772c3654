import Events

/// The input of commands about a friend request that the caller sends or has sent.
public struct ReceiverInput: UseCaseInput {
  /// The id of the user who receives the request.
  public var receiver: String

  /// Creates the input.
  public init(receiver: String) { self.receiver = receiver }

  public static var placeholder: ReceiverInput { ReceiverInput(receiver: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("receiver", "The id of the user who receives the request.", &receiver)
  }
}

/// The input of commands about a friend request that the caller received.
public struct SenderInput: UseCaseInput {
  /// The id of the user who sent the request.
  public var sender: String

  /// Creates the input.
  public init(sender: String) { self.sender = sender }

  public static var placeholder: SenderInput { SenderInput(sender: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("sender", "The id of the user who sent the request.", &sender)
  }
}

/// Sends a friend request to a user.
public struct SendFriendRequest: SilentCommand {
  public static let about = About(
    "SendFriendRequest", .friends, "Send a friend request to a user",
    errors: [
      "cannotFriendSelf", "alreadyRequested", "alreadyReceived", "alreadyFriends",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReceiverInput, in model: inout Model) throws(UseCaseError) {
    try model.request(FriendshipEvent.requested, to: input.receiver)
  }
}

/// Cancels a friend request that the caller sent.
public struct CancelFriendRequest: SilentCommand {
  public static let about = About(
    "CancelFriendRequest", .friends, "Cancel a friend request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ReceiverInput, in model: inout Model) throws(UseCaseError) {
    try model.request(FriendshipEvent.cancelled, to: input.receiver)
  }
}

/// Accepts a friend request that the caller received.
public struct AcceptFriendRequest: SilentCommand {
  public static let about = About(
    "AcceptFriendRequest", .friends, "Accept a friend request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: SenderInput, in model: inout Model) throws(UseCaseError) {
    try model.request(FriendshipEvent.accepted, from: input.sender)
  }
}

/// Rejects a friend request that the caller received. Either user may later send a new request.
public struct RejectFriendRequest: SilentCommand {
  public static let about = About(
    "RejectFriendRequest", .friends, "Reject a friend request", errors: requestErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: SenderInput, in model: inout Model) throws(UseCaseError) {
    try model.request(FriendshipEvent.rejected, from: input.sender)
  }
}

/// Ends the friendship between the caller and a user.
public struct RemoveFriend: SilentCommand {
  /// The input of `RemoveFriend`.
  public struct Input: UseCaseInput {
    /// The friend's id.
    public var friend: String

    /// Creates the input.
    public init(friend: String) { self.friend = friend }

    public static var placeholder: Input { Input(friend: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("friend", "The friend's id.", &friend)
    }
  }

  public static let about = About(
    "RemoveFriend", .friends, "End a friendship",
    errors: ["notFriends", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let removed = FriendRemoved(user: actor, friend: try model.user(input.friend))
    try model.decide(FriendshipEvent.removed(removed), by: actor)
  }
}

private let requestErrors = ["noSuchRequest", "profileNotFound", "unauthorized"]

extension Model {
  /// Decides a command about a request that the caller sent or received.
  fileprivate mutating func request(
    _ event: (FriendRequest) -> FriendshipEvent, from sender: String? = nil,
    to receiver: String? = nil
  ) throws(UseCaseError) {
    let actor = try actor()
    var request = FriendRequest(sender: actor, receiver: actor)
    if let sender { request.sender = try user(sender) }
    if let receiver { request.receiver = try user(receiver) }
    try decide(event(request), by: actor)
  }
}
