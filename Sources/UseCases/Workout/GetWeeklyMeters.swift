import Aggregates
import Events
import Projections

/// How far a user moved in each day of a week, and wants to in all of it.
public struct GetWeeklyMeters: Query {
  public struct Input: UseCaseInput {
    public var user: String?
    public var containing: CalendarDate?

    public init(user: String? = nil, containing: CalendarDate? = nil) {
      self.user = user
      self.containing = containing
    }

    public init(from fields: inout Fields) throws(InputError) {
      user = try fields.optional("user", "By default the caller.")
      containing = try fields.optional("containing", "A day of the week, in UTC; today by default.")
    }
  }

  public struct Week: Answer {
    /// Nil for another's, and for none.
    public var goal: Int64?
    /// As every sum of metres, at most the greatest integer of 64 bits.
    public var meters: Int64 { days.reduce(0) { $0.addingSaturating($1) } }
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
    result: "goal, meters, and days: seven numbers from Monday; private items count for oneself",
    errors: ["unauthorized"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: Input, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Week {
    var week = Week()
    guard let user = try model.subject(input.user, caller) else { return week }
    let isOwn = model.viewer(caller) == .user(user)
    if isOwn { week.goal = model.views.profile(of: user)?.weeklyGoal }
    let number = (input.containing?.start ?? model.now).weeksSinceEpoch
    let start = Timestamp.start(ofWeek: number).milliseconds
    let day: Int64 = 86_400_000
    model.views.visitNewest(
      of: [(user, .max)], from: .start(ofWeek: number), before: .start(ofWeek: number + 1)
    ) { item in
      let passed = item.date.instant.milliseconds - start
      guard passed >= 0, passed < 7 * day else { return true }
      if isOwn || item.audience != .private {
        let sum = week.days[Int(passed / day)]
        week.days[Int(passed / day)] = sum.addingSaturating(item.totalDistance ?? 0)
      }
      return true
    }
    return week
  }
}

extension Int64 {
  /// The sum; the nearest `Int64` if it is none itself, as an import may bring any number.
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }
}

public typealias RefreshWeeklyMeters = Refresh<GetWeeklyMeters>
