import Events

/// The shared workouts with their details, by owner and date.
///
/// ```swift
/// workouts[run]?.totalDistance          // 5000
/// workouts.latest(of: [(owner: alice, each: 3)]).map(\.workout)  // [run]: the latest date first
/// ```
/// A workout disappears for good when it is removed or its owner's account is deleted. Workouts are
/// sorted by date. Only an imported log can have a date more than two days after its event; that
/// workout is sorted by the event's time plus two days.
/// - Complexity: O(log n) per event, with n workouts of the owner, plus moving at most 24 bytes for
///   each of them. Deleting an account costs O(its workouts).
public struct Workouts: FamilyProjection {
  public static let name = "workouts"
  public static let version = 7
  public static let handles = EventTypes.workout.union([.accountDeleted])

  /// A workout's times: when it was shared, when its detail was attached, and its place in lists.
  private struct Times: BitwiseCopyable, Sendable {
    static let none = Times(shared: .epoch, place: .epoch, attached: .epoch, age: 0)
    var shared: Timestamp
    /// The time by which the workout is sorted: its date, or an earlier time if that is too late.
    var place: Timestamp
    /// The time at which the detail was last attached.
    var attached: Timestamp
    /// The number of workouts shared before this one.
    var age: UInt32
  }

  /// A workout in its owner's list, sorted by date and then by the order of sharing.
  ///
  /// It includes the audience: a feed skips most workouts by audience without reading their states.
  struct Entry: Comparable, BitwiseCopyable, Sendable {
    /// The date in milliseconds in the high 56 bits, and the audience's number in the low 8.
    private var word: Int64
    private var age: UInt32
    let workout: UInt32

    init(_ date: Timestamp, _ audience: Audience?, age: UInt32, workout: UInt32) {
      let number = audience.flatMap { Audience.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      word = date.milliseconds << 8 | Int64(number)
      (self.age, self.workout) = (age, workout)
    }

    /// Creates an entry that precedes all others with this date, to search for.
    init(_ date: Timestamp) { self.init(date, nil, age: 0, workout: 0) }

    /// The date in milliseconds.
    var date: Int64 { word >> 8 }
    var audience: Audience? {
      let index = Int(word & 0xff) - 1
      return Audience.allCases.indices.contains(index) ? Audience.allCases[index] : nil
    }

    static func < (a: Self, b: Self) -> Bool { (a.date, a.age) < (b.date, b.age) }
  }

  private var states = Records<Removable<WorkoutShared>>()
  private var details = Records<WorkoutDetailAttached>()
  /// The workouts by owner, earliest date first.
  var lists = Lists(blank: Entry(Timestamp(milliseconds: 0)))
  var isDeleted = Column(false)
  private var times = Column(Times.none)
  private var made: UInt32 = 0
  /// The number of times that a workout was sorted by another time than its date.
  private var misdated: UInt32 = 0

  public init() {}

  public mutating func apply(_ event: borrowing WorkoutEvent, at moment: Moment) {
    switch event {
    case .shared(let data):
      guard !states.has(data.workout.index), !isDeleted[data.owner.index] else { return }
      states[data.workout.index] = .present(data)
      times[data.workout.index] = Times(
        shared: moment.time, place: place(data.date, moment), attached: .epoch, age: made)
      made &+= 1
      insert(data)
    case .edited(let data): edit(data, moment)
    case .detailAttached(let data):
      guard self[data.workout] != nil else { return }
      details[data.workout.index] = data
      times[data.workout.index].attached = moment.time
    case .removed(let data):
      if let workout = self[data.workout] { remove(entry(workout), of: workout.owner) }
      drop(data.workout.index)
    }
  }

  private mutating func drop(_ workout: UInt32) {
    states[workout] = .removed
    details[workout] = nil
  }

  public mutating func removeAccount(_ user: UserID) {
    isDeleted[user.index] = true
    for entry in Array(lists[user.index]) { drop(entry.workout) }
    lists.removeAll(in: user.index)
  }

  /// Returns the time by which a workout with this date is sorted.
  private mutating func place(_ date: DateTime, _ moment: Moment) -> Timestamp {
    let last = moment.time.milliseconds + WorkoutShared.longestLead
    if date.instant.milliseconds <= last { return date.instant }
    misdated &+= 1
    return Timestamp(milliseconds: last)
  }

  private mutating func edit(_ edit: WorkoutEdited, _ moment: Moment) {
    guard var workout = self[edit.workout] else { return }
    let old = entry(workout)
    workout.apply(edit)
    if let date = edit.date { times[edit.workout.index].place = place(date, moment) }
    states[edit.workout.index] = .present(workout)
    guard entry(workout) != old else { return }
    remove(old, of: workout.owner)
    insert(workout)
  }

  func entry(_ workout: WorkoutShared) -> Entry {
    let index = workout.workout.index
    let times = times[index]
    return Entry(times.place, workout.audience, age: times.age, workout: index)
  }

  /// Returns the entry after which a visit continues, given a workout and the date that it had.
  ///
  /// If the workout is gone or now has another date, the entry is at this date and the workout's
  /// age. If the workout is unknown, the entry is before all others with this date. Without a
  /// workout, the entry is after all others with this date.
  private func entry(at date: Timestamp, _ workout: WorkoutID?) -> Entry {
    guard let workout else { return Entry(date, nil, age: .max, workout: 0) }
    if let present = self[workout], present.date.instant == date { return entry(present) }
    let times = times[workout.index]
    // A workout that is gone may have been sorted by an earlier time than its date.
    let last = times.shared.milliseconds + WorkoutShared.longestLead
    let isKnown = states.has(workout.index)
    let place = isKnown ? min(date.milliseconds, last) : date.milliseconds
    return Entry(
      Timestamp(milliseconds: place), nil, age: times.age, workout: workout.index)
  }

  private mutating func insert(_ workout: WorkoutShared) {
    let entry = entry(workout)
    lists.insert(entry, at: position(of: entry, workout.owner), in: workout.owner.index)
  }

  private mutating func remove(_ entry: Entry, of owner: UserID) {
    let at = position(of: entry, owner)
    if at < lists.count(of: owner.index) { lists.remove(at: at, in: owner.index) }
  }

  /// Returns the number of entries in an owner's list that precede this one.
  private func position(of entry: Entry, _ owner: UserID) -> Int {
    lists.withElements(of: owner.index) { list in list.lowerBound { $0 < entry } }
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    details.code(with: &coder)
    lists.code(with: &coder)
    isDeleted.code(with: &coder)
    times.code(with: &coder)
    coder(&made)
    coder(&misdated)
  }

  /// The workout with this id; nil if it was removed or never shared.
  public subscript(id: WorkoutID) -> WorkoutShared? { states[id.index]?.value }

  /// Returns the detail last attached to a workout; nil if there is none or the workout is gone.
  public func detail(of id: WorkoutID) -> WorkoutDetailAttached? { details[id.index] }

  /// Returns the times at which a workout was shared and its detail last attached; nil if it is
  /// gone.
  public func times(of id: WorkoutID) -> (shared: Timestamp, attached: Timestamp?)? {
    guard self[id] != nil else { return nil }
    let times = times[id.index]
    return (times.shared, details.has(id.index) ? times.attached : nil)
  }

  /// The users with at least one workout.
  public var owners: [UserID] {
    lists.indices.filter { lists.count(of: $0) > 0 }.map { UserID(index: $0) }
  }

  /// Returns the latest workouts of several owners, latest date first, at most `each` per owner.
  public func latest(of owners: some Sequence<(owner: UserID, each: Int)>) -> [WorkoutShared] {
    var found: [WorkoutShared] = []
    visitNewest(of: owners) {
      found.append($0)
      return true
    }
    return found
  }

  /// Calls `body` with the workouts of several owners, latest date first, until it returns false.
  /// - Parameters:
  ///   - owners: The owners, each with the largest number of its workouts to visit.
  ///   - start: The earliest date to visit; nil for no bound.
  ///   - end: The time before which all visited dates are; nil for no bound.
  ///   - place: The date and the id of the workout after which the visit begins. The skipped
  ///     workouts also count for `each`.
  ///   - isShown: Returns whether to visit this owner's workouts that have this audience.
  ///   - body: Returns whether to continue with the next workout.
  /// - Complexity: O(owners + visited · log owners), with a heap of the owners' lists. Skipping a
  ///   workout reads only its entry.
  public func visitNewest(
    of owners: some Sequence<(owner: UserID, each: Int)>, from start: Timestamp? = nil,
    before end: Timestamp? = nil, after place: (date: Timestamp, workout: WorkoutID?)? = nil,
    where isShown: (UserID, Audience?) -> Bool = { _, _ in true },
    _ body: (WorkoutShared) -> Bool
  ) {
    let place = place.map { entry(at: $0.date, $0.workout) }
    var heap = Heap<Cursor>()
    for (owner, each) in owners where each > 0 {
      let list = lists[owner.index]
      var count = end.map { position(of: Entry($0), owner) } ?? list.count
      if let place, each == .max { count = min(count, position(of: place, owner)) }
      let last = list.startIndex + count - 1
      guard last >= list.startIndex else { continue }
      heap.items.append(
        Cursor(entry: list[last], owner: owner, first: list.startIndex, at: last, left: each))
    }
    heap.build()
    // The lists of all owners are parts of one table.
    let entries = lists[0].base
    let (first, end) = (start?.milliseconds ?? .min, end?.milliseconds ?? .max)
    // If some workouts are sorted by earlier times than their dates, `start` cannot end the visit.
    let last = misdated > 0 ? .min : first
    while var next = heap.items.first, next.entry.date >= last {
      if isShown(next.owner, next.entry.audience),
        let workout = self[WorkoutID(index: next.entry.workout)],
        misdated == 0 || isDated(workout, first, end)
      {
        if place.map({ next.entry < $0 }) ?? true, !body(workout) { return }
        next.left -= 1
      }
      next.at -= 1
      let goesOn = next.left > 0 && next.at >= next.first
      if goesOn { next.entry = entries[next.at] }
      heap.replaceGreatest(with: goesOn ? next : nil)
    }
  }

  private func isDated(_ workout: WorkoutShared, _ first: Int64, _ end: Int64) -> Bool {
    let date = workout.date.instant.milliseconds
    return date >= first && date < end
  }

  /// The next workout to visit in an owner's list.
  private struct Cursor: Comparable {
    var entry: Entry
    var owner: UserID
    /// The index in `entries` of the list's first entry, and the index of `entry`.
    var first: Int
    var at: Int
    /// The number of the owner's workouts still to visit.
    var left: Int

    static func < (a: Self, b: Self) -> Bool { a.entry < b.entry }
  }

  /// Returns nil if each shared workout is listed once, under its owner and in order; otherwise
  /// describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    var listed = 0
    for index in lists.indices {
      let list = Array(lists[index])
      listed += list.count
      for (at, entry) in list.enumerated() {
        let id = WorkoutID(index: entry.workout)
        if at > 0 && list[at - 1] >= entry { return "\(names[id]) is listed out of order" }
        if self[id]?.owner != UserID(index: index) {
          return "\(names[id]) is listed for \(names[UserID(index: index)]), not its owner"
        }
        if self[id].map(self.entry) != entry {
          return "\(names[id]) is listed with another date or audience than its own"
        }
      }
    }
    var shared = 0
    for index in states.indices where self[WorkoutID(index: index)] != nil { shared += 1 }
    return shared == listed ? nil : "\(shared) workouts are shared and \(listed) listed"
  }
}
