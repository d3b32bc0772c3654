import Aggregates
import Events
import Projections

/// The groups of a user.
public struct GetGroups: Query {
  public static let about = About(
    "GetGroups", .groups, "List the groups of a user that the caller may see",
    result: "groups, as GetGroup shows them, the last joined first", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [GroupRow] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    let viewer = model.viewer(caller)
    return model.views.groups(of: user).compactMap { GroupRow($0, for: viewer, in: model) }
  }
}
