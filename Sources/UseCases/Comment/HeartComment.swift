/// Puts the caller's heart on a comment; one that is there stays, so a retry is harmless.
public struct HeartComment: Command {
  public static let about = About(
    "HeartComment", .comments, "Put one's heart on a comment", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Nothing {
    _ = try model.heart(.give, input.comment)
    return Nothing()
  }
}
