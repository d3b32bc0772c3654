import Aggregates
import Events
import Projections

/// The users with the most metres in a week or a month.
public struct GetLeaderboard: Query {
  public struct Input: UseCaseInput {
    public var period: Leaderboard.Span
    public var containing: CalendarDate
    public var friendsOnly: Bool?
    public var group: String?

    public init(
      period: Leaderboard.Span, containing: CalendarDate, friendsOnly: Bool? = nil,
      group: String? = nil
    ) {
      self.period = period
      self.containing = containing
      self.friendsOnly = friendsOnly
      self.group = group
    }

    public init(from fields: inout Fields) throws(InputError) {
      period = try fields.required("period", "A week from Monday on, or a month, in UTC.")
      containing = try fields.required("containing", "A day in it.")
      friendsOnly = try fields.optional(
        "friendsOnly", "Whether only oneself and friends are ranked; false by default.")
      group = try fields.optional("group", "Only members of this group are ranked.")
    }
  }

  public struct Row: Answer {
    public var user: String
    public var handle: String?
    public var meters: Int64
    /// 1 is the best; equal metres share a rank, and the next rank is skipped.
    public var rank: Int

    public var json: JSONValue {
      .object([
        "user": .string(user), "handle": .optional(handle), "meters": .int(meters),
        "rank": .int(rank),
      ])
    }
  }

  public static let about = About(
    "GetLeaderboard", .workouts, "Rank users by the metres of a week or a month",
    result: "user, handle, meters and rank, the most metres first, then by handle",
    errors: ["unauthorized", "profileNotFound", "groupNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    let (start, viewer) = (input.containing.start, model.viewer(caller))
    func isRanked(_ user: UserID) -> Bool { model.sight(of: user, viewer) == .full }
    let circle: [UserID]?
    if input.friendsOnly ?? false {
      let user = try model.signedIn(caller)
      circle = [user] + Array(model.views.friends(of: user))
    } else {
      circle = nil
    }
    var users = circle
    if let name = input.group {
      let members = Array(model.views.members(of: try model.visible(group: name, to: caller).id))
      users = circle.map { members.filter(Set($0).contains) } ?? members
    }
    if let users = users?.filter(isRanked) {
      return model.views.look(at: .workouts, of: users) { views in
        let scores = users.compactMap { user in
          views.leaderboard.meters(of: user, in: input.period, containing: start).map { (user, $0) }
        }
        return Self.rows(Dictionary(firstOf: scores), views.profiles, model.names)
      }
    }
    let views = model.views.all
    let all = views.leaderboard.meters(in: input.period, containing: start)
    return Self.rows(all.filter { isRanked($0.key) }, views.profiles, model.names)
  }

  private static func rows(
    _ scores: [UserID: Int64], _ profiles: Profiles, _ names: Names
  ) -> [Row] {
    Leaderboard.ranking(scores, profiles, names).map {
      Row(
        user: names[$0.user], handle: profiles.card(of: $0.user)?.handle,
        meters: $0.meters, rank: $0.rank)
    }
  }
}

public typealias RefreshLeaderboard = Refresh<GetLeaderboard>
