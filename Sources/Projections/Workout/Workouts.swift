import Events

/// The shared workouts with their details, by owner and date.
///
/// ```swift
/// workouts[run]?.totalDistance          // 5000
/// workouts.latest(of: [(owner: alice, each: 3)])  // [run]: her last three, latest date first
/// ```
/// A workout that is removed, or whose owner's account is deleted, is gone for good.
/// - Complexity: per event, O(log n) plus moving at most 24 bytes per workout of the owner;
///   deleting an account costs the number of its workouts.
public struct Workouts: FamilyProjection {
  public static let name = "workouts"
  public static let version = 2
  public static let handles = EventTypes.workout.union([.accountDeleted])

  enum State: Equatable, Sendable {
    case unknown, removed
    indirect case shared(WorkoutShared, WorkoutDetailAttached?)
  }

  /// A workout in its owner's list: ordered by date, then by when it was shared.
  struct Entry: Comparable, Sendable {
    var date: Int64
    var age: UInt32
    var workout: UInt32

    static func < (a: Self, b: Self) -> Bool { (a.date, a.age) < (b.date, b.age) }
  }

  var states = Column(State.unknown)
  /// By owner, oldest first.
  var lists = Column([Entry]())
  var isDeleted = Column(false)
  /// By workout: how many were shared before it.
  private var ages = Column(UInt32(0))
  private var made: UInt32 = 0

  public init() {}

  public mutating func apply(_ event: borrowing WorkoutEvent, at moment: Moment) {
    switch event {
    case .shared(let data):
      guard states[data.workout.index] == .unknown, !isDeleted[data.owner.index] else { return }
      states[data.workout.index] = .shared(data, nil)
      ages[data.workout.index] = made
      made &+= 1
      insert(data)
    case .edited(let data): edit(data)
    case .detailAttached(let data):
      if case .shared(let workout, _) = states[data.workout.index] {
        states[data.workout.index] = .shared(workout, data)
      }
    case .removed(let data):
      if let workout = self[data.workout] { remove(workout) }
      states[data.workout.index] = .removed
    }
  }

  public mutating func forget(_ user: UserID) {
    isDeleted[user.index] = true
    for entry in lists[user.index] { states[entry.workout] = .removed }
    lists[user.index] = []
  }

  private mutating func edit(_ edit: WorkoutEdited) {
    guard case .shared(var workout, let detail) = states[edit.workout.index] else { return }
    if edit.date != nil { remove(workout) }
    workout.apply(edit)
    states[edit.workout.index] = .shared(workout, detail)
    if edit.date != nil { insert(workout) }
  }

  private func entry(_ workout: WorkoutShared) -> Entry {
    let index = workout.workout.index
    return Entry(date: workout.date.instant.milliseconds, age: ages[index], workout: index)
  }

  private mutating func insert(_ workout: WorkoutShared) {
    let entry = entry(workout)
    let at = Self.position(of: entry, in: lists[workout.owner.index])
    lists[workout.owner.index].insert(entry, at: at)
  }

  private mutating func remove(_ workout: WorkoutShared) {
    let at = Self.position(of: entry(workout), in: lists[workout.owner.index])
    lists[workout.owner.index].remove(at: at)
  }

  /// How many entries of a list precede this one.
  private static func position(of entry: Entry, in list: [Entry]) -> Int {
    list.lowerBound { $0 < entry }
  }

  public mutating func code(with coder: inout StateCoder) {
    states.code(with: &coder)
    lists.code(with: &coder)
    isDeleted.code(with: &coder)
    ages.code(with: &coder)
    coder(&made)
  }

  /// The workout; nil if it is removed or was never shared.
  public subscript(id: WorkoutID) -> WorkoutShared? {
    if case .shared(let workout, _) = states[id.index] { return workout }
    return nil
  }

  /// The detail last attached to a workout; nil if there is none or the workout is gone.
  public func detail(of id: WorkoutID) -> WorkoutDetailAttached? {
    if case .shared(_, let detail) = states[id.index] { return detail }
    return nil
  }

  /// The owners of at least one workout.
  public var owners: [UserID] {
    lists.indices.map { UserID(index: UInt32($0)) }.filter { !lists[$0.index].isEmpty }
  }

  /// The latest workouts of each owner, at most `each` per owner, merged with the latest date
  /// first.
  /// - Complexity: O(found · log found).
  public func latest(of owners: some Sequence<(owner: UserID, each: Int)>) -> [WorkoutID] {
    var entries: [Entry] = []
    for (owner, each) in owners { entries += lists[owner.index].suffix(each) }
    return entries.sorted(by: >).map { WorkoutID(index: $0.workout) }
  }

  /// Calls `body` with the workouts of several owners, latest date first, until it returns false.
  /// - Complexity: O(owners + visited · log owners): a heap of the owners' lists.
  public func visitNewest(
    of owners: some Sequence<UserID>, before end: Timestamp? = nil,
    _ body: (WorkoutShared) -> Bool
  ) {
    var heap = Heap<Entry>()
    for owner in owners {
      let list = lists[owner.index]
      let count = end.map {
        Self.position(of: Entry(date: $0.milliseconds, age: 0, workout: 0), in: list)
      }
      heap.add(list.prefix(count ?? list.count))
    }
    heap.build()
    while let entry = heap.pop() {
      if let workout = self[WorkoutID(index: entry.workout)], !body(workout) { return }
    }
  }
}

extension Workouts.State: Storable {
  static var blank: Self { .unknown }

  mutating func code(with coder: inout StateCoder) {
    var kind: UInt8 = 0
    var (workout, detail) = (WorkoutShared?.none, WorkoutDetailAttached?.none)
    switch self {
    case .unknown: break
    case .removed: kind = 1
    case .shared(let present, let attached): (kind, workout, detail) = (2, present, attached)
    }
    coder(&kind)
    guard kind == 2 else {
      self = kind == 1 ? .removed : .unknown
      return
    }
    coder(&workout)
    coder(&detail)
    if let workout { self = .shared(workout, detail) }
  }
}
