import Events

/// The input of commands about one comment.
public struct CommentReferenceInput: UseCaseInput {
  /// The comment's id.
  public var comment: String

  /// Creates the input.
  public init(comment: String) { self.comment = comment }

  public static var placeholder: CommentReferenceInput {
    CommentReferenceInput(comment: .placeholder)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("comment", "The comment's id.", &comment)
  }
}

/// Comments on a workout, or replies to a comment.
public struct PostComment: Command {
  /// The input of `PostComment`.
  public struct Input: UseCaseInput {
    /// The id of the workout.
    public var workout: String
    /// The comment's text.
    public var text: String
    /// The id of the comment to reply to, on the same workout; nil if the new comment is no reply.
    public var replyTo: String?
    /// The new comment's id; by default a generated id. Posting the same comment again with the
    /// same id changes nothing.
    public var comment: String?

    /// Creates the input.
    public init(workout: String, text: String, replyTo: String? = nil, comment: String? = nil) {
      (self.workout, self.text) = (workout, text)
      (self.replyTo, self.comment) = (replyTo, comment)
    }

    public static var placeholder: Input { Input(workout: .placeholder, text: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("workout", "The id of the workout.", &workout)
      try fields.required("text", "The comment's text.", &text)
      try fields.optional(
        "replyTo", "The id of a comment on the same workout, to reply to it.", &replyTo)
      try fields.optional("comment", "The new comment's id; by default a new id.", &comment)
    }
  }

  public static let about = About(
    "PostComment", .comments, "Comment on a workout, or reply to a comment",
    result: "the comment, as GetComments shows it",
    errors: [
      "commentEmpty", "commentTooLong", "workoutNotFound", "notVisible", "commentNotFound",
      "notAuthorized", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  /// A decided comment.
  public struct Decided: Sendable {
    let posted: CommentPosted
    /// The new comment's row; nil if the comment was there before.
    let row: CommentRow?
  }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Decided {
    let actor = try model.actor()
    let name = try model.given(input.comment, "comment")
    var posted = CommentPosted(
      comment: try model.comment(name), workout: try model.workout(input.workout), user: actor,
      text: input.text)
    if let replyTo = input.replyTo { posted.replyTo = try model.comment(replyTo) }
    let decided = try model.decide(CommentEvent.posted(posted), by: actor)
    guard case .comment(.posted(let new))? = decided else {
      return Decided(posted: posted, row: nil)
    }
    let handle = model.aggregates.value.profile(actor).handle
    return Decided(
      posted: new, row: CommentRow(new: new, handle, at: model.draft.time, model.names))
  }

  public func knownAnswer(_ decided: Decided, in model: inout Model) -> CommentRow? {
    if let row = decided.row { return row }
    let isCurrent = model.isCurrent(about: AnyID(decided.posted.comment))
    return isCurrent ? answer(decided, in: model) : nil
  }

  public func answer(_ decided: Decided, in model: Model) -> CommentRow {
    let posted = decided.posted
    return CommentRow(posted.comment, for: .user(posted.user), in: model)
      ?? CommentRow(new: posted, nil, at: model.head.time, model.names)
  }
}

/// Changes the text of one of the caller's comments.
public struct EditComment: SilentCommand {
  /// The input of `EditComment`.
  public struct Input: UseCaseInput {
    /// The comment's id.
    public var comment: String
    /// The new text.
    public var text: String

    /// Creates the input.
    public init(comment: String, text: String) { (self.comment, self.text) = (comment, text) }

    public static var placeholder: Input { Input(comment: .placeholder, text: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("comment", "The comment's id.", &comment)
      try fields.required("text", "The new text.", &text)
    }
  }

  public static let about = About(
    "EditComment", .comments, "Change the text of one of the caller's comments",
    errors: [
      "commentNotFound", "notVisible", "notAuthorized", "commentEmpty", "commentTooLong",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actor()
    let edit = CommentEdited(comment: try model.comment(input.comment), text: input.text)
    try model.decide(CommentEvent.edited(edit), by: actor)
  }
}

/// Removes a comment. Users can remove their own comments, and any comment on their workouts. A
/// service can remove any comment.
public struct RemoveComment: SilentCommand {
  public static let about = About(
    "RemoveComment", .comments,
    "Remove one of the caller's comments, or any comment on the caller's workouts",
    errors: [
      "commentNotFound", "notVisible", "notAuthorized", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    let actor = try model.actorOrService()
    let removed = CommentReference(comment: try model.comment(input.comment))
    try model.decide(CommentEvent.removed(removed), by: actor)
  }
}
