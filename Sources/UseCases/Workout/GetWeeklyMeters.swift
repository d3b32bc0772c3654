import Aggregates
import Events
import Projections

/// A user's metres on each day of a week, and the weekly goal.
public struct GetWeeklyMeters: Query {
  /// The input of `GetWeeklyMeters`.
  public struct Input: UseCaseInput {
    /// The user's id; by default the caller's.
    public var user: String?
    /// Any day of the week to return, in UTC; by default today.
    public var containing: CalendarDate?

    /// Creates the input.
    public init(user: String? = nil, containing: CalendarDate? = nil) {
      (self.user, self.containing) = (user, containing)
    }

    public static var placeholder: Input { Input() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.optional("user", "The user's id; by default the caller's.", &user)
      try fields.optional("containing", "A day of the week, in UTC; by default today.", &containing)
    }
  }

  /// A user's metres in a week.
  public struct Week: Answer {
    /// The caller's weekly goal in metres; nil if there is no goal, or if the week is another
    /// user's.
    public var goal: Int64?
    /// The sum of the metres of the whole week.
    public var meters: Int64 { days.reduce(0) { $0.adding($1) } }
    /// The metres of each day from Monday to Sunday, in UTC.
    public var days = [Int64](repeating: 0, count: 7)

    public static var schema: String? { "WeeklyMeters" }
    public static var placeholder: Week { Week() }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.nullable(
        "goal", "The weekly goal in metres; null if there is none, and for another user.", &goal)
      var meters = meters
      try fields.required("meters", "The sum of the metres of the whole week.", &meters)
      try fields.required("days", "The metres of each day from Monday to Sunday, in UTC.", &days)
    }
  }

  public static let about = About(
    "GetWeeklyMeters", .workouts, "Show a user's metres in a week, and the caller's own goal",
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
      // The list sorts an imported item with a future date under an earlier time, so its date may
      // be outside this week.
      let passed = item.date.instant.milliseconds - start
      guard (0..<7 * day).contains(passed) else { return true }
      let at = Int(passed / day)
      // An imported distance may be negative; it counts as 0.
      week.days[at] = week.days[at].adding(max(item.totalDistance ?? 0, 0))
      return true
    }
    return week
  }
}
