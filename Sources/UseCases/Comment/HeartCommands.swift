import Aggregates
import Events

/// Gives a comment the caller's heart. Changes nothing if the heart exists, so a retry is harmless.
public struct HeartComment: SilentCommand {
  public static let about = About(
    "HeartComment", .comments, "Give a heart to a comment", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    let heart = try model.heart(input.comment)
    try model.decide(HeartEvent.given(heart), by: heart.user)
  }
}

/// Withdraws the caller's heart from a comment. Does nothing if there is none, so a retry is
/// harmless.
public struct UnheartComment: SilentCommand {
  public static let about = About(
    "UnheartComment", .comments, "Withdraw a heart from a comment",
    errors: ["commentNotFound", "profileNotFound", "unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    let heart = try model.heart(input.comment)
    try model.decide(HeartEvent.withdrawn(heart), by: heart.user)
  }
}

/// Gives a comment the caller's heart, or withdraws the heart if there is one.
public struct ToggleCommentHeart: Command {
  public static let about = About(
    "ToggleCommentHeart", .comments, "Give a heart to a comment, or withdraw it",
    result: "true if the comment now has the caller's heart", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(
    _ input: CommentReferenceInput, in model: inout Model
  ) throws(UseCaseError) -> Bool {
    let heart = try model.heart(input.comment)
    let stands = model.aggregates.value.isHearted(heart)
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
