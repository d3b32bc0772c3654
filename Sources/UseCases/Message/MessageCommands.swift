import Events

/// Sends a message to a user.
public struct SendMessage: Command {
  public struct Input: UseCaseInput {
    public var to: String
    public var text: String
    /// The message's id; a new one by default. Sending the same message again under it changes
    /// nothing.
    public var message: String?

    public init(to: String, text: String, message: String? = nil) {
      (self.to, self.text, self.message) = (to, text, message)
    }

    public init(from fields: inout Fields) throws(InputError) {
      to = try fields.required("to", "Who receives it.")
      text = try fields.required("text", "1 to 2,000 characters.")
      message = try fields.optional("message", "The id to give it; a new one by default.")
    }
  }

  public static let about = About(
    "SendMessage", .messages,
    "Send a message to a friend, or where the rules say so to whom one follows or is followed by",
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

/// Removes a message of the caller's, for both.
public struct RemoveMessage: SilentCommand {
  public struct Input: UseCaseInput {
    public var message: String

    public init(message: String) { self.message = message }

    public init(from fields: inout Fields) throws(InputError) {
      message = try fields.required("message", "Which message.")
    }
  }

  public static let about = About(
    "RemoveMessage", .messages, "Remove a message that one sent, for both",
    errors: ["messageNotFound", "notAuthorized", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    // Whom it was sent to is in the decider's state.
    let removed = MessageRemoved(
      message: try model.message(input.message), sender: actor, receiver: actor)
    try model.decide(ConversationEvent.removed(removed), by: actor)
  }
}

/// The input of the use cases that are about the conversation with one user.
public struct ConversationInput: UseCaseInput {
  public var with: String

  public init(with: String) { self.with = with }

  public init(from fields: inout Fields) throws(InputError) {
    with = try fields.required("with", "With whom.")
  }
}

/// Says that the caller has read all messages from a user; if so already, nothing happens.
public struct MarkConversationRead: SilentCommand {
  public static let about = About(
    "MarkConversationRead", .messages, "Say that one has read all messages from a user",
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
