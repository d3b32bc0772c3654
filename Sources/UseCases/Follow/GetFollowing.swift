import Aggregates
import Events
import Projections

/// The users whom a user follows.
public struct GetFollowing: Query {
  public static let about = About(
    "GetFollowing", .follow, "List the users whom a user follows",
    result: "rows, the newest follow first; in the caller's own list, isHidden for hidden users",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: PageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    try model.checkListing(caller)
    guard let user = try model.subject(input.user, caller) else { return [] }
    let viewer = model.viewer(caller)
    return model.page(
      model.users(model.views.following(of: user), after: input.after) {
        model.views.followingSince(user, $0)
      },
      limit: input.limit, offset: input.offset, for: viewer, listsHidden: viewer == .user(user)
    ) { model.views.followingSince(user, $0) }
  }
}

/// Reads the events that other processes appended, then answers like `GetFollowing`.
public typealias RefreshFollowing = Refresh<GetFollowing>
