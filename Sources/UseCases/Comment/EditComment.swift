import Events

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
      "commentNotFound", "notVisible", "notAuthorized", "commentEmpty", "commentTooLong",
      "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: Input, in model: inout Model) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let edit = CommentEdited(comment: try model.comment(input.comment), text: input.text)
    try model.decide(CommentEvent.edited(edit), by: actor)
    return Nothing()
  }
}
