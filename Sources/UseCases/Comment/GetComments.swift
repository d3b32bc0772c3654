import Aggregates
import Events
import Projections

/// The comments on a workout.
public struct GetComments: Query {
  public static let about = About(
    "GetComments", .comments, "Show the comments on a workout",
    result: "the latest 100 comments, oldest first, with hearts and heartedByMe",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [CommentRow] {
    let workout = try model.visible(input.workout, to: caller).workout
    let viewer = model.viewer(caller)
    let latest = model.views.comments(on: workout).lazy.reversed().compactMap {
      CommentRow($0, for: viewer, in: model)
    }
    return latest.prefix(100).reversed()
  }
}

/// A comment in a list.
public struct CommentRow: Answer {
  /// The comment's id.
  public var comment: String
  /// The author's id; nil if the author's profile is hidden from the caller.
  public var user: String?
  /// The author's handle; nil if the author is hidden or has none.
  public var handle: String?
  /// The comment's text.
  public var text: String
  /// The time when the comment was posted.
  public var time: Timestamp
  /// The id of the comment that this one replies to; nil if this one is no reply, or if a block
  /// hides that comment from the caller.
  public var replyTo: String?
  /// The number of all hearts, including those by users hidden from the caller.
  public var hearts: Int
  /// Whether the caller gave the comment a heart.
  public var heartedByMe: Bool

  public static var schema: String? { "CommentRow" }
  public static var placeholder: CommentRow {
    CommentRow(comment: "", text: "", time: .epoch, hearts: 0, heartedByMe: false)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("comment", "The comment's id.", &comment)
    try fields.nullable(
      "user", "The author's id; null if the author's profile is hidden from the caller.", &user)
    try fields.nullable(
      "handle", "The author's handle; null if the author is hidden or has none.", &handle)
    try fields.required("text", "The comment's text.", &text)
    try fields.required("time", "The time when the comment was posted.", &time)
    try fields.nullable(
      "replyTo",
      "The id of the comment that this one replies to; null if there is none, or a block hides it.",
      &replyTo)
    try fields.required(
      "hearts", "The number of all hearts, including those by hidden users.", &hearts)
    try fields.required("heartedByMe", "Whether the caller gave the comment a heart.", &heartedByMe)
  }
}

extension CommentRow {
  /// Creates a comment's row; nil if the comment was removed, or there is a block between author
  /// and viewer.
  package init?(_ id: CommentID, for viewer: Viewer, in model: Model) {
    guard let comment = model.views.comment(id) else { return nil }
    guard model.isShown(id, to: viewer) else { return nil }
    self.comment = model.names[id]
    if model.visibility(of: comment.user, viewer) != .hidden {
      user = model.names[comment.user]
      handle = model.views.card(of: comment.user)?.handle
    }
    text = comment.text
    time = comment.time
    if let parent = comment.replyTo, model.isShown(parent, to: viewer) {
      replyTo = model.names[parent]
    }
    hearts = model.views.heartCount(of: id)
    heartedByMe = false
    if case .user(let viewer) = viewer {
      heartedByMe = model.views.isHearted(id, by: viewer)
    }
  }

  /// Creates the row of a new comment, for its author.
  init(new posted: CommentPosted, _ handle: String?, at time: Timestamp, _ names: Names) {
    comment = names[posted.comment]
    user = names[posted.user]
    self.handle = handle
    text = posted.text
    self.time = time
    replyTo = posted.replyTo.map { names[$0] }
    (hearts, heartedByMe) = (0, false)
  }
}
