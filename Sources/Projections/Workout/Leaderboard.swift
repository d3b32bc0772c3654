import Events

/// The metres of each user's shared workouts, by week and by month.
///
/// ```swift
/// leaderboard.meters(in: .week, containing: moment.time)[alice]  // 5000
/// ```
/// A workout counts in the week (Monday to Sunday) and the month of its own date, in UTC, with its
/// current distance, until it is removed or its owner's account is deleted.
/// - Complexity: O(1) per event; deleting an account costs the number of its workouts.
public struct Leaderboard: FamilyProjection {
  public static let name = "leaderboard"
  public static let version = 1
  public static let handles = Ownership.handles.union([.workoutEdited])

  public enum Span: String, CaseIterable, Sendable, BitwiseCopyable { case week, month }

  struct Period: Hashable, Sendable {
    var span: Span
    /// Weeks since the one of 1970-01-01, or months since year 0.
    var number: Int64
  }

  struct Score: Equatable, Sendable {
    var owner: UserID
    var date: Timestamp
    var meters: Int64
  }

  /// An entry of `totals`.
  private struct Total {
    var period: Period
    var user: UserID
    var meters: Int64
  }

  var scores = Column(Score?.none)
  var totals: [Period: [UserID: Int64]] = [:]
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing WorkoutEvent, at moment: Moment) {
    switch event {
    case .shared(let data):
      guard !ownership.isGone(data.workout), scores[data.workout.index] == nil,
        !ownership.isGone(data.owner)
      else { return }
      _ = ownership.apply(event)
      let score = Score(owner: data.owner, date: data.date.instant, meters: data.totalDistance)
      scores[data.workout.index] = score
      count(score, 1)
    case .edited(let data):
      guard var score = scores[data.workout.index] else { return }
      count(score, -1)
      score.date = data.date?.instant ?? score.date
      score.meters = data.totalDistance ?? score.meters
      count(score, 1)
      scores[data.workout.index] = score
    case .removed: drop(ownership.apply(event))
    case .detailAttached: break
    }
  }

  public mutating func forget(_ user: UserID) { drop(ownership.forget(user)) }

  private mutating func drop(_ workouts: [WorkoutID]) {
    for workout in workouts {
      if let score = scores[workout.index] { count(score, -1) }
      scores[workout.index] = nil
    }
  }

  private mutating func count(_ score: Score, _ sign: Int64) {
    for span in Span.allCases {
      let period = Period(span, containing: score.date)
      let old = totals[period]?[score.owner] ?? 0
      // An imported distance may be any number: sums wrap rather than trap.
      let new = old &+ sign &* score.meters
      totals[period, default: [:]][score.owner] = new == 0 ? nil : new
      if totals[period]?.isEmpty == true { totals[period] = nil }
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    scores.code(with: &coder)
    codeTotals(with: &coder)
    ownership.code(with: &coder)
  }

  private mutating func codeTotals(with coder: inout StateCoder) {
    var entries = totals.flatMap { period, users in
      users.map { Total(period: period, user: $0.key, meters: $0.value) }
    }
    coder(&entries)
    guard coder.isReading else { return }
    for entry in entries { totals[entry.period, default: [:]][entry.user] = entry.meters }
  }

  /// The period's name in paths: `week/2026-01-26`, named by its Monday, or `month/2026-01`.
  public static func period(_ span: Span, containing moment: Timestamp) -> String {
    "\(Period(span, containing: moment))"
  }

  /// The metres of every user who has any in the period.
  public func meters(in span: Span, containing moment: Timestamp) -> [UserID: Int64] {
    totals[Period(span, containing: moment)] ?? [:]
  }

  /// A user's position in a ranking.
  public struct Place: Equatable, Sendable {
    public var user: UserID
    public var meters: Int64
    /// 1 is the best; equal metres share a rank, and the next rank is skipped.
    public var rank: Int
  }

  /// Ranks scores: most metres first, ties by case-insensitive handle, then by id.
  /// - Complexity: O(scores · log scores).
  public static func ranking(
    _ scores: [UserID: Int64], _ profiles: Profiles, _ names: Names
  ) -> [Place] {
    let keyed = scores.map { user, meters in
      (handle: profiles.card(of: user)?.handle.lowercased() ?? "", user: user, meters: meters)
    }
    let sorted = keyed.sorted {
      if $0.meters != $1.meters { return $0.meters > $1.meters }
      return $0.handle != $1.handle
        ? $0.handle < $1.handle : names.precedes($0.user, $1.user)
    }
    var places: [Place] = []
    for (user, meters) in sorted.lazy.map({ ($0.user, $0.meters) }) {
      let tied = places.last.flatMap { $0.meters == meters ? $0.rank : nil }
      places.append(Place(user: user, meters: meters, rank: tied ?? places.count + 1))
    }
    return places
  }
}

extension Leaderboard.Period {
  init(_ span: Leaderboard.Span, containing moment: Timestamp) {
    self.span = span
    let day = moment.daysSinceEpoch
    switch span {
    // 1970-01-01 was a Thursday: three days into its week.
    case .week: number = (day + 3 - ((day + 3) % 7 + 7) % 7) / 7
    case .month: number = moment.monthsSinceYearZero
    }
  }
}
