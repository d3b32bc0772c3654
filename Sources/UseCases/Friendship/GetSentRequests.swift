import Aggregates
import Events
import Projections

/// The users who have not answered the caller's friend requests.
public struct GetSentRequests: Query {
  public static let about = About(
    "GetSentRequests", .friends, "List the users to whom the caller sent a friend request",
    result: "rows, the newest request first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    let viewer = try model.signedIn(caller)
    return model.rows(model.views.sent(of: viewer), for: .user(viewer)) {
      model.views.relatedSince(viewer, $0)
    }
  }
}
