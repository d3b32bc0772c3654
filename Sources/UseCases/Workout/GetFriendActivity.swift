import Projections

/// The caller's friends' latest workouts, and the caller's own.
public struct GetFriendActivity: Query {
  /// How many of the caller's own workouts, and of each friend's.
  private static let (own, each) = (10, 3)

  public static let about = About(
    "GetFriendActivity", .workouts, "Show one's last 10 workouts and each friend's last 3",
    result: "feed items, the latest date first", errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [FeedItem] {
    let viewer = try model.viewer(caller)
    let friends = model.views.friends(of: viewer)
    let owners = [(owner: viewer, each: Self.own)] + friends.map { ($0, Self.each) }
    let latest = model.views.latest(of: owners)
    var items: [FeedItem] = []
    items.reserveCapacity(latest.count)
    for id in latest {
      guard let workout = model.views.workout(id) else { continue }
      items.append(FeedItem(workout, for: viewer, in: model))
    }
    return items
  }
}

public typealias RefreshFriendActivity = Refresh<GetFriendActivity>
