import Aggregates
import Events

/// Puts the caller's heart on a comment. An existing heart stays, so a retry is harmless.
public struct HeartComment: SilentCommand {
  public static let about = About(
    "HeartComment", .comments, "Put one's heart on a comment", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    let heart = try model.heart(input.comment)
    try model.decide(HeartEvent.given(heart), by: heart.user)
  }
}

/// Takes the caller's heart from a comment. Without a heart it does nothing, so a retry is
/// harmless.
public struct UnheartComment: SilentCommand {
  public static let about = About(
    "UnheartComment", .comments, "Take one's heart from a comment",
    errors: ["commentNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    let heart = try model.heart(input.comment)
    try model.decide(HeartEvent.withdrawn(heart), by: heart.user)
  }
}

/// Puts the caller's heart on a comment, or takes it back.
public struct ToggleCommentHeart: Command {
  public static let about = About(
    "ToggleCommentHeart", .comments, "Put one's heart on a comment, or take it back",
    result: "true: now hearted", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let heart = try model.heart(input.comment)
    let stands = model.society.isHearted(heart)
    try model.decide(stands ? HeartEvent.withdrawn(heart) : .given(heart), by: heart.user)
    return !stands
  }
}

private let heartErrors = ["commentNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  fileprivate mutating func heart(_ comment: String) throws(UseCaseError) -> Heart {
    let actor = try actor()
    return Heart(comment: try self.comment(comment), user: actor)
  }
}
