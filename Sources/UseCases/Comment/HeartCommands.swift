import Aggregates
import Events

/// Puts the caller's heart on a comment. An existing heart stays, so a retry is harmless.
public struct HeartComment: SilentCommand {
  public static let about = About(
    "HeartComment", .comments, "Put one's heart on a comment", errors: heartErrors)
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func decide(_ input: CommentReferenceInput, in model: inout Model) throws(UseCaseError) {
    try model.heart(.give, input.comment)
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
    try model.heart(.withdraw, input.comment)
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
  ) throws(UseCaseError) -> Bool { try model.heart(.toggle, input.comment) }
}

private let heartErrors = ["commentNotFound", "notVisible", "profileNotFound", "unauthorized"]

extension Model {
  /// - Returns: whether the caller's heart is now on the comment.
  @discardableResult
  fileprivate mutating func heart(
    _ action: HeartDecider.Command.Action, _ name: String
  ) throws(UseCaseError) -> Bool {
    let actor = try actor()
    let heart = Heart(comment: try comment(name), user: actor)
    try record { (society, rules) throws(DomainError) in
      try society.decide(action, heart, actor, rules)
    }
    return society.isHearted(heart)
  }
}
