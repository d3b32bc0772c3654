import Aggregates
import Events
import Projections

/// The users whose friend requests the caller has not answered.
public struct GetPendingRequests: Query {
  public static let about = About(
    "GetPendingRequests", .friends, "List the users who sent the caller a friend request",
    result: "rows, the newest request first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    let viewer = try model.signedIn(caller)
    // The caller always sees the sender of a pending request, even one with a private profile.
    return model.views.pending(of: viewer).filter { model.isAskedBy($0, viewer) }.compactMap {
      model.row(
        $0, for: .user(viewer), visibility: .full, since: model.views.relatedSince(viewer, $0))
    }
  }
}
