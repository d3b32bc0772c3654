import Aggregates
import Events

/// Comments on a workout, or replies to a comment.
public struct PostComment: Command {
  public struct Input: UseCaseInput {
    public var workout: String
    public var text: String
    public var replyTo: String?
    /// The id to give it; a new one by default. Posting the same again under it changes nothing.
    public var comment: String?

    public init(workout: String, text: String, replyTo: String? = nil, comment: String? = nil) {
      self.workout = workout
      self.text = text
      self.replyTo = replyTo
      self.comment = comment
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
    result: "the comment's id",
    errors: [
      "commentEmpty", "commentTooLong", "workoutNotFound", "notVisible", "commentNotFound",
      "notAuthorized", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> String {
    let actor = try model.actor()
    let name = input.comment ?? model.newID()
    guard isValidID(name.utf8) else { throw .invalidInput(InputError("comment", idRule)) }
    var posted = CommentPosted(
      comment: try model.comment(name), workout: try model.workout(input.workout), user: actor,
      text: input.text)
    if let replyTo = input.replyTo { posted.replyTo = try model.comment(replyTo) }
    try model.decide(.commentPosted(posted), by: actor)
    return name
  }
}

/// Changes the text of one of the caller's comments.
public struct EditComment: Command {
  public struct Input: UseCaseInput {
    public var comment: String
    public var text: String

    public init(comment: String, text: String) {
      self.comment = comment
      self.text = text
    }

    public init(from fields: inout Fields) throws(InputError) {
      comment = try fields.required("comment", "Which.")
      text = try fields.required("text", "What it is to say.")
    }
  }

  public static let about = About(
    "EditComment", .comments, "Change what one's comment says",
    errors: [
      "commentNotFound", "notAuthorized", "commentEmpty", "commentTooLong", "workoutNotFound",
      "notVisible", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let edit = CommentEdited(comment: try model.comment(input.comment), text: input.text)
    try model.decide(.commentEdited(edit), by: actor)
    return Nothing()
  }
}

/// Removes a comment: one's own, or any on one's workout.
public struct RemoveComment: Command {
  public static let about = About(
    "RemoveComment", .comments, "Remove one's comment, or any on one's workout",
    errors: [
      "commentNotFound", "notAuthorized", "workoutNotFound", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let removed = CommentReference(comment: try model.comment(input.comment))
    try model.decide(.commentRemoved(removed), by: actor)
    return Nothing()
  }
}

/// Puts the caller's heart on a comment, or takes it back.
public struct ToggleCommentHeart: Command {
  public static let about = About(
    "ToggleCommentHeart", .comments, "Put one's heart on a comment, or take it back",
    result: "true: now hearted",
    errors: [
      "commentNotFound", "workoutNotFound", "notVisible", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let actor = try model.actor()
    let heart = Heart(comment: try model.comment(input.comment), user: actor)
    try model.record { (society, rules) throws(DomainError) in
      try society.decide(.toggle, heart, actor, rules)
    }
    return model.society.isHearted(heart)
  }
}

/// The input of use cases about one comment.
public struct CommentReferenceInput: UseCaseInput {
  public var comment: String

  public init(comment: String) { self.comment = comment }

  public init(from fields: inout Fields) throws(InputError) {
    comment = try fields.required("comment", "Which.")
  }
}
