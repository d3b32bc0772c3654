import Aggregates
import Events
import Projections

/// A ranking of users by metres in a week or a month. It counts only items that the caller sees.
public struct GetLeaderboard: Query {
  /// The kinds of periods: a week or a month.
  public typealias Period = Leaderboard.Span

  /// The input of `GetLeaderboard`.
  public struct Input: UseCaseInput {
    /// The length of the period: a week from Monday on, or a month, in UTC.
    public var period: Leaderboard.Span
    /// Any day in the period.
    public var containing: CalendarDate
    /// Whether to rank only the caller and the caller's friends; by default false.
    public var friendsOnly: Bool?
    /// The id of a group, to rank only its members.
    public var group: String?

    /// Creates the input.
    public init(
      period: Leaderboard.Span, containing: CalendarDate, friendsOnly: Bool? = nil,
      group: String? = nil
    ) {
      (self.period, self.containing) = (period, containing)
      (self.friendsOnly, self.group) = (friendsOnly, group)
    }

    public static var placeholder: Input { Input(period: .placeholder, containing: .placeholder) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("period", "A week from Monday on, or a month, in UTC.", &period)
      try fields.required("containing", "A day in the period.", &containing)
      try fields.optional(
        "friendsOnly", "Whether to rank only the caller and friends; by default false.",
        &friendsOnly)
      try fields.optional("group", "The id of a group, to rank only its members.", &group)
    }
  }

  /// A user's row in the ranking.
  public struct Row: Answer {
    /// The user's id.
    public var user: String
    /// The user's handle; nil if there is none.
    public var handle: String?
    /// The sum of the metres of the user's items that the caller sees.
    public var meters: Int64
    /// The user's rank; 1 is the best. Users with equal metres share a rank, and the next rank is
    /// skipped.
    public var rank: Int

    public static var schema: String? { "LeaderboardRow" }
    public static var placeholder: Row { Row(user: "", meters: 0, rank: 1) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required("user", "The user's id.", &user)
      try fields.nullable("handle", "The user's handle; null if there is none.", &handle)
      try fields.required(
        "meters", "The sum of the metres of the user's items that the caller sees.", &meters)
      try fields.required(
        "rank", "The user's rank; 1 is the best. Users with equal metres share a rank.", &rank)
    }
  }

  public static let about = About(
    "GetLeaderboard", .workouts, "Rank users by their metres in a week or a month",
    result: "user, handle, meters of the items that the caller sees, and rank; the best first",
    errors: ["unauthorized", "profileNotFound", "groupNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> [Row] {
    let (start, viewer) = (input.containing.start, model.viewer(caller))
    var users: [UserID]?
    if input.friendsOnly ?? false {
      let user = try model.signedIn(caller)
      users = [user] + Array(model.views.friends(of: user))
    }
    if let name = input.group {
      let members = Array(model.views.members(of: try model.visible(group: name, to: caller).id))
      users = users.map { members.filter(Set($0).contains) } ?? members
    }
    var scores: [UserID: Int64] = [:]
    func count(_ user: UserID, _ sums: Leaderboard.Sums) {
      let meters = model.meters(sums, of: user, for: viewer)
      if meters > 0 { scores[user] = meters }
    }
    if let users {
      let sums = model.views.look(at: .workouts, of: users) { views in
        users.map { views.leaderboard.sums(of: $0, in: input.period, containing: start) }
      }
      for (user, sums) in zip(users, sums) { if let sums { count(user, sums) } }
      return model.views.look(at: .workouts, of: users) { views in
        Self.rows(scores, views.profiles, model.names)
      }
    }
    let views = model.views.all
    views.leaderboard.forEachUser(in: input.period, containing: start, count)
    return Self.rows(scores, views.profiles, model.names)
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
