import Events

let heartErrors = ["commentNotFound", "notVisible", "profileNotFound", "unauthorized"]

/// Puts the caller's heart on a comment; one that is there stays, so a retry is harmless.
public struct HeartComment: Command {
  public static let about = About(
    "HeartComment", .comments, "Put one's heart on a comment", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let heart = Heart(comment: try model.comment(input.comment), user: actor)
    try model.decide(HeartEvent.given(heart), by: actor)
    return Nothing()
  }
}
