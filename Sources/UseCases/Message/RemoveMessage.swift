import Events

/// Removes a message of the caller's, for both.
public struct RemoveMessage: Command {
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    // Whom it was sent to is in the decider's state.
    let removed = MessageRemoved(
      message: try model.message(input.message), sender: actor, receiver: actor)
    try model.decide(ConversationEvent.removed(removed), by: actor)
    return Nothing()
  }
}
