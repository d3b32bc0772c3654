import Events
import Projections

/// A user's friends.
public struct GetFriends: Query {
  public static let about = About(
    "GetFriends", .friends, "List a user's friends",
    result:
      "at most 100 rows, the newest friendship first; the rules may show them only to friends",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    try model.checkListing(caller)
    guard let user = try model.subject(input.user, caller),
      model.seesFriends(of: user, model.viewer(caller))
    else { return [] }
    let rows = model.views.friends(of: user).lazy.compactMap {
      model.row($0, for: model.viewer(caller), since: model.views.relatedSince(user, $0))
    }
    return Array(rows.prefix(100))
  }
}
