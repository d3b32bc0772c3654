import Aggregates
import Events
import Projections

/// The caller's conversations.
public struct GetConversations: Query {
  /// A conversation of the caller.
  public struct Conversation: Answer {
    /// The other user; nil if that user's account is deleted. The row of a user who is hidden from
    /// the caller has only the handle, the name and the number of friends.
    public var other: ProfileRow?
    /// The newest message of the conversation.
    public var lastMessage: MessageRow
    /// The number of messages from the other user that the caller has not read.
    public var unread: Int

    public static var schema: String? { "Conversation" }
    public static var placeholder: Conversation {
      Conversation(lastMessage: .placeholder, unread: 0)
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.nullable(
        "other", "The other user; null if the account is deleted, and short for a hidden user.",
        &other)
      try fields.required("lastMessage", "The newest message of the conversation.", &lastMessage)
      try fields.required(
        "unread", "The number of messages from the other user that the caller has not read.",
        &unread)
    }
  }

  public static let about = About(
    "GetConversations", .messages, "List the caller's conversations",
    result: "other, lastMessage and unread; the conversation with the newest message first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Conversation] {
    let viewer = try model.signedIn(caller)
    let conversations = model.views.partners(of: viewer).compactMap { other -> Conversation? in
      guard !model.views.isBlocked(viewer, other),
        let last = model.views.lastMessage(viewer, other),
        let message = MessageRow(last, in: model)
      else { return nil }
      // The caller always sees the other user of a conversation, even one with a private profile.
      let visibility = model.visibility(of: other, .user(viewer))
      let row = model.row(
        other, for: .user(viewer), visibility: visibility == .hidden ? .limited : visibility)
      return Conversation(
        other: row, lastMessage: message, unread: model.views.unread(by: viewer, from: other))
    }
    return conversations.sorted { $0.lastMessage.position > $1.lastMessage.position }
  }
}
