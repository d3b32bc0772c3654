import Aggregates

/// The available sports.
public struct ListSports: Query {
  public static let about = About(
    "ListSports", .profile, "List the sports there are", result: "ids")
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [String] { model.rules.sports }
}
