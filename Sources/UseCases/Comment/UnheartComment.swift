import Events

/// Takes the caller's heart from a comment; without one nothing happens, so a retry is harmless.
public struct UnheartComment: Command {
  public static let about = About(
    "UnheartComment", .comments, "Take one's heart from a comment",
    errors: ["commentNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    let actor = try model.actor()
    let heart = Heart(comment: try model.comment(input.comment), user: actor)
    try model.decide(HeartEvent.withdrawn(heart), by: actor)
    return Nothing()
  }
}
