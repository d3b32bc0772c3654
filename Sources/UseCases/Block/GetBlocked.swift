import Aggregates
import Events
import Projections

/// The users whom the caller blocks.
public struct GetBlocked: Query {
  public static let about = About(
    "GetBlocked", .blocks, "List the users whom the caller blocks",
    result: "rows, the newest block first",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    let viewer = try model.signedIn(caller)
    // Shows the blocked users' handles and names, so that the caller knows whom to unblock.
    return model.views.blocked(by: viewer).compactMap {
      model.row(
        $0, for: .user(viewer), visibility: .limited, since: model.views.blockedSince(viewer, $0))
    }
  }
}
