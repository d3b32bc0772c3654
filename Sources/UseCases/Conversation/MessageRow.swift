import Events
import Projections

/// A message in a conversation.
public struct MessageRow: Answer {
  /// The message's id.
  public var message: String
  /// The message's position in the log. Pass it as `before` to `GetMessages` to get older messages.
  public var position: Int64
  /// The sender's id; nil if the sender's account is deleted.
  public var sender: String?
  /// The message's text.
  public var text: String
  /// The time when the message was sent.
  public var time: Timestamp

  init?(_ id: MessageID, in model: borrowing Model) {
    guard let sent = model.views.message(id) else { return nil }
    message = model.names[id]
    position = Int64(clamping: sent.seq)
    sender = sent.sender.map { model.names[$0] }
    (text, time) = (sent.text, sent.time)
  }

  public var json: JSONValue {
    .object([
      "message": .string(message), "position": .int(position), "sender": .optional(sender),
      "text": .string(text), "time": .string("\(time)"),
    ])
  }
}
