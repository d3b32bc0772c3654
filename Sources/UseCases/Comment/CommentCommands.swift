import Events

/// The input of commands about one comment.
public struct CommentReferenceInput: UseCaseInput {
  public var comment: String

  public init(comment: String) { self.comment = comment }

  public init(from fields: inout Fields) throws(InputError) {
    comment = try fields.required("comment", "Which.")
  }
}

/// Comments on a workout, or replies to a comment.
public struct PostComment: Command {
  public struct Input: UseCaseInput {
    public var workout: String
    public var text: String
    public var replyTo: String?
    /// The comment's id; a new one by default. Posting the same comment again under it changes
    /// nothing.
    public var comment: String?

    public init(workout: String, text: String, replyTo: String? = nil, comment: String? = nil) {
      (self.workout, self.text) = (workout, text)
      (self.replyTo, self.comment) = (replyTo, comment)
    }

    public init(from fields: inout Fields) throws(InputError) {
      workout = try fields.required("workout", "What is commented on.")
      text = try fields.required("text", "What is said.")
      replyTo = try fields.optional("replyTo", "A comment on the same workout.")
      comment = try fields.optional("comment", "The id to give it; a new one by default.")
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

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> CommentPosted {
    let actor = try model.actor()
    let name = try model.given(input.comment, "comment")
    var posted = CommentPosted(
      comment: try model.comment(name), workout: try model.workout(input.workout), user: actor,
      text: input.text)
    if let replyTo = input.replyTo { posted.replyTo = try model.comment(replyTo) }
    try model.decide(CommentEvent.posted(posted), by: actor)
    return posted
  }

  public func answer(_ posted: CommentPosted, in model: Model) -> CommentRow {
    CommentRow(posted.comment, for: .user(posted.user), in: model)
      ?? CommentRow(gone: posted, in: model)
  }
}

/// Changes the text of one of the caller's comments.
public struct EditComment: SilentCommand {
  public struct Input: UseCaseInput {
    public var comment: String
    public var text: String

    public init(comment: String, text: String) { (self.comment, self.text) = (comment, text) }

    public init(from fields: inout Fields) throws(InputError) {
      comment = try fields.required("comment", "Which.")
      text = try fields.required("text", "What it is to say.")
    }
  }

  public static let about = About(
    "EditComment", .comments, "Change what one's comment says",
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

/// Removes a comment: the caller's own, or any on the caller's workouts. A service removes any.
public struct RemoveComment: SilentCommand {
  public static let about = About(
    "RemoveComment", .comments, "Remove one's comment, or any on one's workout",
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
