import Events
import Projections

/// The workouts of a group's members.
public struct GetGroupFeed: Query {
  public static let about = About(
    "GetGroupFeed", .groups, "Show the workouts of a group's members that the caller may see",
    result: "feed items, the latest date first",
    errors: ["groupNotFound", "unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: GroupPageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.signedIn(caller)
    let group = try model.visible(group: input.group, to: caller).id
    return model.feed(
      of: model.views.members(of: group).map { ($0, .max) }, for: viewer,
      limit: clamped(input.limit), offset: input.offset, after: input.after)
  }
}
