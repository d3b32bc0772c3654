import Events
import Projections

/// A message in a conversation.
public struct MessageRow: Answer {
  public var message: String
  /// Where it is in the log; `GetMessages` pages by it.
  public var position: Int64
  /// Nil for one whose account is deleted.
  public var sender: String?
  public var text: String
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
