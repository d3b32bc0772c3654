/// Puts the caller's heart on a comment, or takes it back.
public struct ToggleCommentHeart: Command {
  public static let about = About(
    "ToggleCommentHeart", .comments, "Put one's heart on a comment, or take it back",
    result: "true: now hearted", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool { try model.heart(.toggle, input.comment) }
}
