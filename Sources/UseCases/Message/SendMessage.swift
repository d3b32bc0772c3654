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
      self.to = to
      self.text = text
      self.message = message
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
