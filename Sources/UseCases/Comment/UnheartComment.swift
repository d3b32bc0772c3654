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
    _ = try model.heart(.withdraw, input.comment)
    return Nothing()
  }
}
