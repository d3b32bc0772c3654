import Events

/// Sends a message to a user.
public struct SendMessage: Command {
  /// The input of `SendMessage`.
  public struct Input: UseCaseInput {
    /// The receiver's id.
    public var to: String
    /// The text: 1 to 2,000 characters.
    public var text: String
    /// The new message's id; by default a generated id. Sending the same message again with the
    /// same id changes nothing.
    public var message: String?

    /// Creates the input.
    public init(to: String, text: String, message: String? = nil) {
      (self.to, self.text, self.message) = (to, text, message)
    }

    public static var placeholder: Input { Input(to: .placeholder, text: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("to", "The receiver's id.", &to)
      try fields.required("text", "The text: 1 to 2,000 characters.", &text)
      try fields.optional("message", "The new message's id; by default a new id.", &message)
    }
  }

  public static let about = About(
    "SendMessage", .messages,
    "Send a message: to friends, or by other rules to followers and followed users",
    result: "the message's id",
    errors: [
      "messageEmpty", "messageTooLong", "notVisible", "notAuthorized", "profileNotFound",
      "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> String {
    let actor = try model.actor()
    let name = try model.given(input.message, "message")
    let message = MessageSent(
      message: try model.message(name), sender: actor, receiver: try model.user(input.to),
      text: input.text)
    try model.decide(ConversationEvent.sent(message), by: actor)
    return name
  }
}

/// Removes a message that the caller sent, for the sender and the receiver.
public struct RemoveMessage: SilentCommand {
  /// The input of `RemoveMessage`.
  public struct Input: UseCaseInput {
    /// The message's id.
    public var message: String

    /// Creates the input.
    public init(message: String) { self.message = message }

    public static var placeholder: Input { Input(message: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("message", "The message's id.", &message)
    }
  }

  public static let about = About(
    "RemoveMessage", .messages, "Remove a message that the caller sent, for both users",
    errors: ["messageNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    // The caller stands in for the receiver here: the decider takes the real receiver from its
    // state.
    let removed = MessageRemoved(
      message: try model.message(input.message), sender: actor, receiver: actor)
    try model.decide(ConversationEvent.removed(removed), by: actor)
  }
}

/// The input of use cases about the conversation with one user.
public struct ConversationInput: UseCaseInput {
  /// The other user's id.
  public var with: String

  /// Creates the input.
  public init(with: String) { self.with = with }

  public static var placeholder: ConversationInput { ConversationInput(with: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("with", "The other user's id.", &with)
  }
}

/// Marks all messages from a user to the caller as read. Does nothing if they are already read.
public struct MarkConversationRead: SilentCommand {
  public static let about = About(
    "MarkConversationRead", .messages, "Mark all messages from a user as read",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ConversationInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let other = try model.user(input.with)
    guard model.mayBeUnread(actor) || model.views.unread(by: actor, from: other) > 0 else { return }
    try model.decideRead { .conversation(.read(.init(user: actor, other: other, upTo: $0))) }
  }
}
