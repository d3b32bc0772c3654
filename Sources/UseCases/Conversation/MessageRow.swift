import Events
import Projections

/// A message in a conversation.
public struct MessageRow: Answer {
  /// The message's id.
  public var message: String
  /// The message's position in the log. `GetMessages` with this value as `before` returns older
  /// messages.
  public var position: Int64
  /// The sender's id; nil if the sender's account is deleted.
  public var sender: String?
  /// The message's text.
  public var text: String
  /// The time when the message was sent.
  public var time: Timestamp

  public static var schema: String? { "MessageRow" }
  public static var placeholder: MessageRow {
    MessageRow(message: "", position: 0, text: "", time: .epoch)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("message", "The message's id.", &message)
    try fields.required(
      "position", "The message's position in the log: `before` of `GetMessages` for older ones.",
      &position)
    try fields.nullable(
      "sender", "The sender's id; null if the sender's account is deleted.", &sender)
    try fields.required("text", "The message's text.", &text)
    try fields.required("time", "The time when the message was sent.", &time)
  }
}

extension MessageRow {
  package init?(_ id: MessageID, in model: Model) {
    guard let sent = model.views.message(id) else { return nil }
    message = model.names[id]
    position = Int64(clamping: sent.seq)
    sender = sent.sender.map { model.names[$0] }
    (text, time) = (sent.text, sent.time)
  }
}
