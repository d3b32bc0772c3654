import Events
import Projections

/// Who moved furthest in a week or a month.
public struct GetLeaderboard: Query {
  public struct Input: UseCaseInput {
    public var period: Leaderboard.Span
    public var containing: CalendarDate
    public var friendsOnly: Bool?

    public init(
      period: Leaderboard.Span, containing: CalendarDate, friendsOnly: Bool? = nil
    ) {
      self.period = period
      self.containing = containing
      self.friendsOnly = friendsOnly
    }

    public init(from fields: inout Fields) throws(InputError) {
      period = try fields.required("period", "A week from Monday on, or a month, in UTC.")
      containing = try fields.required("containing", "A day in it.")
      friendsOnly = try fields.optional(
        "friendsOnly", "Whether only oneself and friends are ranked; false by default.")
    }
  }

  public struct Row: Answer {
    public var user: String
    public var handle: String
    public var meters: Int64
    /// 1 is the best; equal metres share a rank, and the next one is skipped.
    public var rank: Int

    public var json: JSONValue {
      .object([
        "user": .string(user), "handle": .string(handle), "meters": .int(meters),
        "rank": .int(rank),
      ])
    }
  }

  public static let about = About(
    "GetLeaderboard", .workouts, "Rank users by the metres of a week or a month",
    result: "user, handle, meters and rank, the most metres first, then by handle",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    let all = model.views.leaderboard.meters(in: input.period, containing: input.containing.start)
    var scores: [(user: UserID, meters: Int64)] = []
    if input.friendsOnly ?? false {
      let viewer = try model.viewer(caller)
      for user in [viewer] + Array(model.views.relationships.friends(of: viewer)) {
        if let meters = all[user] { scores.append((user, meters)) }
      }
    } else {
      scores = all.map { ($0.key, $0.value) }
    }
    var rows = scores.compactMap { score in
      model.views.profiles[score.user].map {
        Row(user: model.names[score.user], handle: $0.handle, meters: score.meters, rank: 0)
      }
    }
    rows.sort {
      if $0.meters != $1.meters { return $0.meters > $1.meters }
      let (a, b) = ($0.handle.lowercased(), $1.handle.lowercased())
      return a != b ? a < b : $0.user < $1.user
    }
    for index in rows.indices {
      let isTied = index > 0 && rows[index - 1].meters == rows[index].meters
      rows[index].rank = isTied ? rows[index - 1].rank : index + 1
    }
    return rows
  }
}

public typealias RefreshLeaderboard = Refresh<GetLeaderboard>
