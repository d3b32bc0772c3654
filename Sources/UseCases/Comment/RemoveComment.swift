import Events

/// Removes a comment: the caller's own, or any on the caller's workouts; a service removes any.
public struct RemoveComment: Command {
  public static let about = About(
    "RemoveComment", .comments, "Remove one's comment, or any on one's workout",
    errors: [
      "commentNotFound", "notVisible", "notAuthorized", "profileNotFound", "unauthorized",
    ])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actorOrService()
    let removed = CommentReference(comment: try model.comment(input.comment))
    try model.decide(CommentEvent.removed(removed), by: actor)
    return Nothing()
  }
}
