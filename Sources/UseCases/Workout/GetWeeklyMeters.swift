import Aggregates
import Events
import Projections

/// How far a user moved in each day of a week, and wants to in all of it.
public struct GetWeeklyMeters: Query {
  public struct Input: UseCaseInput {
    public var user: String?
    public var containing: CalendarDate?

    public init(user: String? = nil, containing: CalendarDate? = nil) {
      (self.user, self.containing) = (user, containing)
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "By default the caller.")
      containing = try fields.optional("containing", "A day of the week, in UTC; today by default.")
    }
  }

  public struct Week: Answer {
    /// Nil for another's, and for none.
    public var goal: Int64?
    public var meters: Int64 { days.reduce(0) { $0.adding($1) } }
    /// From Monday to Sunday, in UTC.
    public var days = [Int64](repeating: 0, count: 7)

    public var json: JSONValue {
      .object([
        "goal": goal.map { .int($0) } ?? .null, "meters": .int(meters),
        "days": .array(days.map { .int($0) }),
      ])
    }
  }

  public static let about = About(
    "GetWeeklyMeters", .workouts, "Show how far a user moved in a week, and one's own goal",
    result: "goal, meters, and days: seven numbers from Monday, of the items that the caller sees",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Week {
    var week = Week()
    guard let user = try model.subject(input.user, caller) else { return week }
    let viewer = model.viewer(caller)
    if viewer == .user(user) { week.goal = model.views.profile(of: user)?.weeklyGoal }
    let number = (input.containing?.start ?? model.now).weeksSinceEpoch
    let start = Timestamp.start(ofWeek: number).milliseconds
    let day: Int64 = 86_400_000
    func isSeen(_ owner: UserID, _ audience: Audience?) -> Bool {
      model.sees(audience, of: owner, viewer)
    }
    model.views.visitNewest(
      of: [(user, .max)], from: .start(ofWeek: number), before: .start(ofWeek: number + 1),
      where: isSeen
    ) { item in
      // An imported date to come is listed earlier than it says.
      let passed = item.date.instant.milliseconds - start
      guard (0..<7 * day).contains(passed) else { return true }
      let at = Int(passed / day)
      // An imported distance may be below 0, and then counts nothing.
      week.days[at] = week.days[at].adding(max(item.totalDistance ?? 0, 0))
      return true
    }
    return week
  }
}
