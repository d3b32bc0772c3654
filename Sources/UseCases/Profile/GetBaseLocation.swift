/// Where a user is based.
public struct GetBaseLocation: Query {
  public static let about = About(
    "GetBaseLocation", .profile, "Show where a user is based",
    result: "latitude and longitude, which only friends see, and name; or null",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> BaseLocation? {
    guard let user = try model.subject(input.user, caller) else { return nil }
    return model.location(of: user, for: model.viewer(caller))
  }
}
