import Events
import Projections

/// A comment in a list.
public struct CommentRow: Answer {
  public var comment: String
  public var user: String
  public var handle: String?
  public var text: String
  public var time: Timestamp
  public var replyTo: String?
  public var hearts: Int
  public var heartedByMe: Bool

  init?(_ id: CommentID, for viewer: UserID?, in model: borrowing Model) {
    guard let comment = model.views.comment(id) else { return nil }
    self.comment = model.names[id]
    user = model.names[comment.user]
    handle = model.views.card(of: comment.user)?.handle
    text = comment.text
    time = comment.time
    replyTo = comment.replyTo.map { model.names[$0] }
    hearts = model.views.hearts(of: id).count
    heartedByMe = viewer.map { model.views.isHearted(id, by: $0) } ?? false
  }

  public var json: JSONValue {
    .object([
      "comment": .string(comment), "user": .string(user), "handle": .optional(handle),
      "text": .string(text), "time": .string("\(time)"), "replyTo": .optional(replyTo),
      "hearts": .int(hearts), "heartedByMe": .bool(heartedByMe),
    ])
  }
}
