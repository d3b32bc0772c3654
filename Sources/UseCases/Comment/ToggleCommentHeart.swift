import Aggregates
import Events

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
    let actor = try model.actor()
    let heart = Heart(comment: try model.comment(input.comment), user: actor)
    let stands = model.society.isHearted(heart)
    try model.decide(stands ? HeartEvent.withdrawn(heart) : .given(heart), by: actor)
    return !stands
  }
}
