import Projections

/// A user's sports, with the user's level in each.
public struct GetSports: Query {
  public static let about = About(
    "GetSports", .profile, "Show a user's sports",
    result: "sport, level and isMentor; the most recently set sport last", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Sport] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.views.profile(of: user)?.sports.map(Sport.init) ?? []
  }
}
