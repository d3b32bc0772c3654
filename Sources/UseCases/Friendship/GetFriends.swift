import Projections

/// A user's friends.
public struct GetFriends: Query {
  public static let about = About(
    "GetFriends", .friends, "List a user's friends",
    result: "at most 100 rows, the newest friendship first", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [ProfileRow] {
    guard let user = try model.subject(input.user, caller) else { return [] }
    return model.rows(model.views.friends(of: user).prefix(100), for: caller)
  }
}

public typealias RefreshFriends = Refresh<GetFriends>
