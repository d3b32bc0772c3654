import Events

/// Says that the caller has read all messages from a user; if so already, nothing happens.
public struct MarkConversationRead: Command {
  public static let about = About(
    "MarkConversationRead", .messages, "Say that one has read all messages from a user",
    errors: ["profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: ConversationInput, in model: inout Model) throws(UseCaseError)
    -> Nothing
  {
    let actor = try model.actor()
    let other = try model.user(input.with)
    guard model.mayBeUnread(actor) || model.views.unread(by: actor, from: other) > 0 else {
      return Nothing()
    }
    try model.decideRead { .conversation(.read(.init(user: actor, other: other, upTo: $0))) }
    return Nothing()
  }
}
