import Events

/// The metres of each user's shared workouts, by week, month and audience.
///
/// ```swift
/// leaderboard.sums(of: alice, in: .week, containing: moment.time)?[.followers]  // 5000
/// leaderboard.meters(in: .week, containing: moment.time)[alice]  // 5000: all that is not private
/// ```
/// A workout counts in the week (Monday to Sunday) and the month of its date, in UTC, with its
/// current distance. It stops counting when it is removed or its owner's account is deleted.
/// Viewers see the sum over the audiences that they belong to. A sum that would overflow stays at
/// the largest `Int64`.
/// - Complexity: O(1) per event. Deleting an account costs O(its workouts), and so does removing a
///   workout from a sum at the largest `Int64`. Memory: 48 bytes per user and period.
public struct Leaderboard: FamilyProjection {
  public static let name = "leaderboard"
  public static let version = 4
  public static let handles = Ownership.handles.union([.workoutEdited])

  /// The length of a period.
  public enum Span: String, CaseIterable, Sendable, BitwiseCopyable { case week, month }

  struct Period: Hashable, Sendable {
    var span: Span
    /// The number of weeks since the week of 1970-01-01, or of months since the year 0.
    var number: Int64
  }

  struct Score: BitwiseCopyable, Sendable {
    static let none = Score(owner: UserID(index: .max), date: .epoch, meters: 0, audience: nil)
    var owner: UserID
    /// The number of the workout's audience in `Sums`.
    var audience: UInt8
    var date: Timestamp
    /// The distance in metres; 0 for a negative one, which an imported log may contain.
    var meters: Int64

    init(owner: UserID, date: Timestamp, meters: Int64?, audience: Audience?) {
      (self.owner, self.date, self.meters) = (owner, date, max(meters ?? 0, 0))
      self.audience = Sums.number(of: audience)
    }

    var isNone: Bool { owner.index == .max }
  }

  /// A user's metres in a period, by audience.
  public struct Sums: Equatable, BitwiseCopyable, Sendable {
    var unnamed: Int64 = 0
    var friends: Int64 = 0
    var followers: Int64 = 0
    var open: Int64 = 0
    var closed: Int64 = 0

    /// All audiences; nil stands for workouts without an audience.
    public static let audiences: [Audience?] = [nil] + Audience.allCases.map { $0 }

    /// The metres of the workouts with this audience; nil stands for workouts without an audience.
    public subscript(audience: Audience?) -> Int64 { self[Self.number(of: audience)] }

    /// The metres of all workouts except private ones.
    public var shared: Int64 { unnamed.adding(friends).adding(followers).adding(open) }
    /// The metres of all workouts, private ones included.
    public var all: Int64 { shared.adding(closed) }
    var isZero: Bool { unnamed | friends | followers | open | closed == 0 }

    subscript(number: UInt8) -> Int64 {
      get {
        switch number {
        case 1: friends
        case 2: followers
        case 3: open
        case 4: closed
        default: unnamed
        }
      }
      set {
        switch number {
        case 1: friends = newValue
        case 2: followers = newValue
        case 3: open = newValue
        case 4: closed = newValue
        default: unnamed = newValue
        }
      }
    }

    static func number(of audience: Audience?) -> UInt8 {
      switch audience {
      case nil: 0
      case .friends: 1
      case .followers: 2
      case .public: 3
      case .private: 4
      }
    }
  }

  struct Total: BitwiseCopyable, Sendable {
    var user: UserID
    var sums = Sums()
  }

  /// By workout: the owner, date, metres and audience with which the workout counts.
  var scores = Column(Score.none)
  /// The numbers of the periods that ever had any metres, by period.
  private var numbers = KeyTable()
  /// The users' totals by the period's number, in no particular order.
  private var totals = Lists(blank: Total(user: UserID(index: 0)))
  /// By a period's number and a user: the index of the user's total in the period's list.
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
        owner: data.owner, date: data.date.instant, meters: data.totalDistance,
        audience: data.audience)
      scores[data.workout.index] = score
      add(score)
    case .edited(let data):
      var score = scores[data.workout.index]
      if score.isNone { return }
      scores[data.workout.index] = .none
      subtract(score)
      score.date = data.date?.instant ?? score.date
      if !data.totalDistance.isKeep { score.meters = max(data.totalDistance.value ?? 0, 0) }
      if !data.audience.isKeep { score.audience = Sums.number(of: data.audience.value) }
      scores[data.workout.index] = score
      add(score)
    case .removed: drop(ownership.apply(event))
    case .detailAttached: break
    }
  }

  public mutating func removeAccount(_ user: UserID) { drop(ownership.removeAccount(user)) }

  private mutating func drop(_ workouts: [WorkoutID]) {
    for workout in workouts {
      let score = scores[workout.index]
      if score.isNone { continue }
      scores[workout.index] = .none
      subtract(score)
    }
  }

  private mutating func add(_ score: Score) {
    if score.meters == 0 { return }
    for span in Span.allCases {
      let number = numbers.intern(Period(span, containing: score.date).key)
      let key = KeyTable.key(number, score.owner.index)
      guard let place = places[key].map(Int.init) else {
        var new = Total(user: score.owner)
        new.sums[score.audience] = score.meters
        places.set(key, UInt32(totals.count(of: number)))
        totals.append(new, to: number)
        continue
      }
      guard var total = totals[number].dropFirst(place).first else { continue }
      total.sums[score.audience] = total.sums[score.audience].adding(score.meters)
      totals.replace(at: place, in: number, with: total)
    }
  }

  /// Subtracts a score, which is no longer in `scores`, from the totals of the workout's owner.
  private mutating func subtract(_ score: Score) {
    if score.meters == 0 { return }
    for span in Span.allCases {
      let period = Period(span, containing: score.date)
      guard let number = numbers[period.key] else { continue }
      let key = KeyTable.key(number, score.owner.index)
      guard let place = places[key].map(Int.init),
        var total = totals[number].dropFirst(place).first
      else { continue }
      let old = total.sums[score.audience]
      total.sums[score.audience] =
        old < .max ? max(old - score.meters, 0) : counted(score.owner, period, score.audience)
      if total.sums.isZero {
        remove(key, at: place, from: number)
      } else {
        totals.replace(at: place, in: number, with: total)
      }
    }
  }

  /// Returns a user's metres for one audience in a period, added up from the user's workouts.
  private func counted(_ owner: UserID, _ period: Period, _ audience: UInt8) -> Int64 {
    ownership.workouts(of: owner).reduce(0) { sum, workout in
      let score = scores[workout.index]
      let isCounted =
        !score.isNone && score.audience == audience
        && Period(period.span, containing: score.date) == period
      return isCounted ? sum.adding(score.meters) : sum
    }
  }

  private mutating func remove(_ key: UInt64, at place: Int, from number: UInt32) {
    let last = totals.count(of: number) - 1
    guard place <= last else { return }
    // The list's last total moves to the place of the removed one.
    if let moved = totals[number].last, place < last {
      totals.replace(at: place, in: number, with: moved)
      places.set(KeyTable.key(number, moved.user.index), UInt32(place))
    }
    totals.remove(at: last, in: number)
    _ = places.remove(key)
  }

  /// Calls `body` with every period and its totals, in no particular order.
  func forEachPeriod(_ body: (Period, Slab<Total>.SubSequence) -> Void) {
    numbers.forEachKey { key, number in body(Period(key: key), totals[number]) }
  }

  /// Calls `body` with every user who has metres in a week, and with the week's number
  /// (`Timestamp.weeksSinceEpoch`), in no particular order.
  func forEachWeek(_ body: (UserID, Int64) -> Void) {
    forEachPeriod { period, totals in
      if period.span == .week { for total in totals { body(total.user, period.number) } }
    }
  }

  /// Returns a user's metres in a period; nil if there are none.
  func sums(of user: UserID, in period: Period) -> Sums? {
    guard let number = numbers[period.key],
      let place = places[KeyTable.key(number, user.index)]
    else { return nil }
    return totals[number].dropFirst(Int(place)).first?.sums
  }

  public mutating func code(with coder: inout StateCoder) {
    scores.code(with: &coder)
    numbers.code(with: &coder)
    totals.code(with: &coder)
    places.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// Returns the period's name in paths: `week/2026-01-26`, with the week's Monday, or
  /// `month/2026-01`.
  public static func period(_ span: Span, containing moment: Timestamp) -> String {
    "\(Period(span, containing: moment))"
  }

  /// Returns the metres of every user who has any in the period, without private workouts.
  public func meters(in span: Span, containing moment: Timestamp) -> [UserID: Int64] {
    var meters: [UserID: Int64] = [:]
    forEachUser(in: span, containing: moment) { user, sums in
      if sums.shared != 0 { meters[user] = sums.shared }
    }
    return meters
  }

  /// Calls `body` with every user who has metres in the period, in no particular order.
  public func forEachUser(
    in span: Span, containing moment: Timestamp, _ body: (UserID, Sums) -> Void
  ) {
    guard let number = numbers[Period(span, containing: moment).key] else { return }
    totals.withElements(of: number) { for total in $0 { body(total.user, total.sums) } }
  }

  /// Returns a user's metres in the period by audience; nil if there are none.
  public func sums(of user: UserID, in span: Span, containing moment: Timestamp) -> Sums? {
    sums(of: user, in: Period(span, containing: moment))
  }

  /// A user's place in a ranking.
  public struct Place: Equatable, Sendable {
    /// The user.
    public var user: UserID
    /// The metres by which the user is ranked.
    public var meters: Int64
    /// The rank, from 1. Users with equal metres share it: after two users at rank 1 comes rank 3.
    public var rank: Int
  }

  /// Returns the users with their ranks, most metres first; ties are sorted by case-insensitive
  /// handle, then by id.
  /// - Complexity: O(users · log users).
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

  /// Returns nil if each total is the sum over the user's workouts, and no total is zero; otherwise
  /// describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    var expected: [Period: [UserID: Sums]] = [:]
    for index in scores.indices {
      let score = scores[UInt32(index)]
      if score.isNone || score.meters == 0 { continue }
      for span in Span.allCases {
        let period = Period(span, containing: score.date)
        var sums = expected[period]?[score.owner] ?? Sums()
        sums[score.audience] = sums[score.audience].adding(score.meters)
        expected[period, default: [:]][score.owner] = sums
      }
    }
    var broken: String?
    forEachPeriod { period, totals in
      for total in totals where expected[period]?[total.user] != total.sums {
        broken = "\(names[total.user]) has a wrong sum in \(period): \(total.sums.all) m"
      }
    }
    for (period, users) in expected {
      for (user, sums) in users where self.sums(of: user, in: period) != sums {
        broken = "\(names[user]) does not have \(sums.all) m in \(period)"
      }
    }
    return broken
  }
}

extension Leaderboard.Period {
  /// The period as a key. Its number fits: dates are within some ten thousand years of 1970.
  var key: UInt64 { UInt64(truncatingIfNeeded: number &+ 1 << 32) << 1 | (span == .week ? 0 : 1) }

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

extension Int64 {
  /// Returns the sum of two numbers of metres. A sum that would overflow stays at the largest or
  /// smallest `Int64`, because an imported distance may have any value.
  package func adding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
