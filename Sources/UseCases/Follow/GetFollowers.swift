import Events
import Projections

/// The followers of a user.
public struct GetFollowers: Query {
  public static let about = About(
    "GetFollowers", .follow, "List a user's followers", result: "rows, the newest follow first",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: PageInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    try model.checkListing(caller)
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.page(
      model.users(model.views.followers(of: user), after: input.after) {
        model.views.followingSince($0, user)
      },
      limit: input.limit, offset: input.offset,
      for: model.viewer(caller)
    ) { model.views.followingSince($0, user) }
  }
}

/// Reads the events that other processes appended, then answers like `GetFollowers`.
public typealias RefreshFollowers = Refresh<GetFollowers>
