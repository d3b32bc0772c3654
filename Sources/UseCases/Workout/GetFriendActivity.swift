import Aggregates
import Events
import Projections

/// The latest workouts of the caller's circle, and the caller's own.
public struct GetFriendActivity: Query {
  /// How many of the caller's own workouts, and of each other's.
  private static let (own, each) = (10, 3)

  public static let about = About(
    "GetFriendActivity", .workouts,
    "Show one's last 10 workouts, and the last 3 of each in one's circle",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.signedIn(caller)
    let owners = model.circle(of: viewer).map {
      (owner: $0, each: $0 == viewer ? Self.own : Self.each)
    }
    // Items of one owner come together, and most have one audience: sight is looked at once.
    var known: (owner: UserID, audience: Audience?, isSeen: Bool)?
    let latest = model.views.latest(of: owners) { owner, audience in
      if let known, known.owner == owner, known.audience == audience { return known.isSeen }
      let isSeen = model.sees(audience, of: owner, .user(viewer))
      known = (owner, audience, isSeen)
      return isSeen
    }
    return latest.map { FeedItem($0, for: viewer, in: model) }
  }
}

public typealias RefreshFriendActivity = Refresh<GetFriendActivity>
