import Events

/// The metres of each user's shared workouts, by week and by month.
///
/// ```swift
/// leaderboard.meters(in: .week, containing: moment.time)[alice]  // 5000
/// ```
/// A workout counts in the week (Monday to Sunday) and the month of its own date, in UTC, with its
/// current distance, unless only its owner sees it, until it is removed or its owner's account is
/// deleted. Sums saturate: see `MeterSum`.
/// - Complexity: O(1) per event; deleting an account costs the number of its workouts.
public struct Leaderboard: FamilyProjection {
  public static let name = "leaderboard"
  public static let version = 4
  public static let handles = Ownership.handles.union([.workoutEdited])

  public enum Span: String, CaseIterable, Sendable, BitwiseCopyable { case week, month }

  struct Period: Hashable, Sendable {
    var span: Span
    /// Weeks since the one of 1970-01-01, or months since year 0.
    var number: Int64
  }

  struct Score: BitwiseCopyable, Sendable {
    static let none = Score(owner: UserID(index: .max), date: .epoch, meters: 0)
    var owner: UserID
    var date: Timestamp
    var meters: Int64
    /// Whether only the owner sees it: then it counts for nobody.
    var isPrivate = false
    var isNone: Bool { owner.index == .max }
  }

  /// The metres of a user in a period.
  struct Total: BitwiseCopyable, Sendable {
    // First, so that the user fills the bytes after it.
    var sum: MeterSum
    var user: UserID
  }

  /// By workout.
  var scores = Column(Score.none)
  /// The periods that have had any metres, and their numbers.
  private var numbers = KeyTable()
  /// By a period's number, in no particular order.
  private var totals = Lists(blank: Total(sum: MeterSum(), user: UserID(index: 0)))
  /// Where in its period's list a user is, by the period's number and the user.
  private var places = KeyTable()
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing WorkoutEvent, at moment: Moment) {
    switch event {
    case .shared(let data):
      guard !ownership.isGone(data.workout), scores[data.workout.index].isNone,
        !ownership.isGone(data.owner)
      else { return }
      _ = ownership.apply(event)
      let score = Score(
        owner: data.owner, date: data.date.instant, meters: data.totalDistance ?? 0,
        isPrivate: data.audience == .private)
      scores[data.workout.index] = score
      count(score, isAdded: true)
    case .edited(let data):
      var score = scores[data.workout.index]
      if score.isNone { return }
      count(score, isAdded: false)
      score.date = data.date?.instant ?? score.date
      if !data.totalDistance.isKeep { score.meters = data.totalDistance.value ?? 0 }
      if !data.audience.isKeep { score.isPrivate = data.audience == .set(.private) }
      count(score, isAdded: true)
      scores[data.workout.index] = score
    case .removed: drop(ownership.apply(event))
    case .detailAttached: break
    }
  }

  public mutating func forget(_ user: UserID) { drop(ownership.forget(user)) }

  private mutating func drop(_ workouts: [WorkoutID]) {
    for workout in workouts {
      let score = scores[workout.index]
      if score.isNone { continue }
      count(score, isAdded: false)
      scores[workout.index] = .none
    }
  }

  private mutating func count(_ score: Score, isAdded: Bool) {
    if score.isPrivate { return }
    for span in Span.allCases {
      let number = numbers.intern(Period(span, containing: score.date).key)
      let key = KeyTable.key(number, score.owner.index)
      let place = places[key]
      var sum = place.flatMap { totals[number].dropFirst(Int($0)).first?.sum } ?? MeterSum()
      if isAdded { sum.add(score.meters) } else { sum.subtract(score.meters) }
      if place != nil {
        set(sum, number, key)
      } else if !sum.isZero {
        places.set(key, UInt32(totals.count(of: number)))
        totals.append(Total(sum: sum, user: score.owner), to: number)
      }
    }
  }

  /// Sets the metres of a user who has some in the period.
  private mutating func set(_ sum: MeterSum, _ number: UInt32, _ key: UInt64) {
    let last = totals.count(of: number) - 1
    guard let place = places[key].map(Int.init), place <= last else { return }
    guard sum.isZero else {
      let user = UserID(index: UInt32(truncatingIfNeeded: key))
      return totals.replace(at: place, in: number, with: Total(sum: sum, user: user))
    }
    // The last of the list fills the gap.
    if let moved = totals[number].last, place < last {
      totals.replace(at: place, in: number, with: moved)
      places.set(KeyTable.key(number, moved.user.index), UInt32(place))
    }
    totals.remove(at: last, in: number)
    _ = places.remove(key)
  }

  /// Calls `body` with every period and its metres, in no particular order.
  func forEachPeriod(_ body: (Period, Slab<Total>.SubSequence) -> Void) {
    numbers.forEachKey { key, number in body(Period(key: key), totals[number]) }
  }

  /// A user's metres in a period.
  func meters(of user: UserID, in period: Period) -> Int64? {
    guard let number = numbers[period.key],
      let place = places[KeyTable.key(number, user.index)]
    else { return nil }
    return totals[number].dropFirst(Int(place)).first?.sum.meters
  }

  public mutating func code(with coder: inout StateCoder) {
    scores.code(with: &coder)
    numbers.code(with: &coder)
    totals.code(with: &coder)
    places.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// The period's name in paths: `week/2026-01-26`, named by its Monday, or `month/2026-01`.
  public static func period(_ span: Span, containing moment: Timestamp) -> String {
    "\(Period(span, containing: moment))"
  }

  /// The metres of every user who has any in the period.
  public func meters(in span: Span, containing moment: Timestamp) -> [UserID: Int64] {
    guard let number = numbers[Period(span, containing: moment).key] else { return [:] }
    return Dictionary(firstOf: totals[number].lazy.map { ($0.user, $0.sum.meters) })
  }

  /// A user's metres in the period; nil if there are none.
  public func meters(
    of user: UserID, in span: Span, containing moment: Timestamp
  ) -> Int64? {
    meters(of: user, in: Period(span, containing: moment))
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
      let key = profiles.sortKey(of: user) ?? .init(hasNoHandle: true, text: "")
      return (key: key, user: user, meters: meters)
    }
    let sorted = keyed.sorted {
      if $0.meters != $1.meters { return $0.meters > $1.meters }
      return $0.key != $1.key ? $0.key < $1.key : names.precedes($0.user, $1.user)
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
  /// The period as a key: its number is within some ten thousand years of 1970.
  var key: UInt64 {
    UInt64(truncatingIfNeeded: number &+ 1 << 32) << 1 | (span == .week ? 0 : 1)
  }

  init(key: UInt64) {
    self.init(
      span: key & 1 == 0 ? .week : .month, number: Int64(key >> 1) - 1 << 32)
  }

  init(_ span: Leaderboard.Span, containing moment: Timestamp) {
    self.span = span
    switch span {
    case .week: number = moment.weeksSinceEpoch
    case .month: number = moment.monthsSinceYearZero
    }
  }
}
