import Events
import Projections

/// The number of a user's followers, and the number of users whom the user follows.
public struct GetFollowCounts: Query {
  /// The follow counts of a user.
  public struct Counts: Answer {
    /// The number of the user's followers.
    public var followers: Int
    /// The number of users whom the user follows.
    public var following: Int

    /// Creates counts.
    public init(followers: Int, following: Int) {
      (self.followers, self.following) = (followers, following)
    }

    public static var schema: String? { "FollowCounts" }
    public static var placeholder: Counts { Counts(followers: 0, following: 0) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required(
        "followers", "The number of all followers, including hidden ones.", &followers)
      try fields.required(
        "following", "The number of all followed users, including hidden ones.", &following)
    }
  }

  public static let about = About(
    "GetFollowCounts", .follow, "Count a user's followers and the users whom the user follows",
    result: "followers and following; 0 and 0 for an unknown user", errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: UserInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Counts {
    guard let user = try model.subject(input.user, caller) else {
      return Counts(followers: 0, following: 0)
    }
    return Counts(
      followers: model.views.followerCount(of: user),
      following: model.views.followingCount(of: user))
  }
}

/// Reads the events that other processes appended, then answers like `GetFollowCounts`.
public typealias RefreshFollowCounts = Refresh<GetFollowCounts>
