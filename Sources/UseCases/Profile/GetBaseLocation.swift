/// A user's base location.
public struct GetBaseLocation: Query {
  public static let about = About(
    "GetBaseLocation", .profile, "Show a user's base location",
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
