import Events

/// The chups of each workout, newest first.
///
/// ```swift
/// Array(chups.users(of: run))  // [carol, bob]: newest first
/// chups.isBig(run, carol)      // true
/// ```
/// Removing a workout or deleting an account removes its chups. A chup that becomes a big chup
/// keeps its place in the workout's list.
/// - Complexity: see `Edges`. Removing a workout or deleting an account costs O(chups removed).
public struct Chups: Projection {
  public static let name = "chups"
  public static let version = 4
  public static let handles = Ownership.handles.union(.chup)

  /// The edges from each workout to the users who chupped it.
  private var edges = DatedEdges()
  private var big = KeyTable()
  var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .chup(let event): apply(event, moment)
    case .workout(let event): removeAll(ownership.apply(event))
    case .accountDeleted(let data):
      removeAll(ownership.removeAccount(data.user))
      for workout in Array(edges.to(data.user.index)) { withdraw(workout, data.user.index) }
    default: break
    }
  }

  /// Removes the chups of workouts that are gone.
  private mutating func removeAll(_ workouts: [WorkoutID]) {
    for workout in workouts {
      for user in Array(edges.from(workout.index)) { withdraw(workout.index, user) }
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .chup(.given(let data)):
      edges.prefetch(data.workout.index, data.user.index)
      big.prefetch(KeyTable.key(data.workout.index, data.user.index))
    default: break
    }
  }

  private mutating func apply(_ event: ChupEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard !ownership.isGone(data.workout), !ownership.isGone(data.user) else { return }
      edges.insert(data.workout.index, data.user.index, at: moment.time)
      let key = KeyTable.key(data.workout.index, data.user.index)
      if data.big { big.set(key, 1) } else { _ = big.remove(key) }
    case .withdrawn(let data): withdraw(data.workout.index, data.user.index)
    }
  }

  private mutating func withdraw(_ workout: UInt32, _ user: UInt32) {
    edges.remove(workout, user)
    _ = big.remove(KeyTable.key(workout, user))
  }

  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    big.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// Returns the users who chupped the workout, newest first.
  public func users(of workout: WorkoutID) -> Users { Users(edges.from(workout.index)) }

  /// Returns the workouts that the user chupped, newest chup first.
  func workouts(of user: UserID) -> [WorkoutID] {
    edges.to(user.index).map { WorkoutID(index: $0) }
  }

  /// Returns whether the user chupped the workout.
  public func hasChupped(_ workout: WorkoutID, _ user: UserID) -> Bool {
    edges.contains(workout.index, user.index)
  }

  /// Returns the time of the user's current chup of the workout; nil if there is none.
  public func since(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    edges.since(workout.index, user.index)
  }

  /// Returns the number of big chups of the workout.
  /// - Complexity: O(the workout's chups).
  public func bigCount(of workout: WorkoutID) -> Int {
    big.count == 0 ? 0 : users(of: workout).count { isBig(workout, $0) }
  }

  /// Returns whether the user gave the workout a big chup.
  public func isBig(_ workout: WorkoutID, _ user: UserID) -> Bool {
    big[KeyTable.key(workout.index, user.index)] != nil
  }

  /// Returns nil if the edges agree in both directions, every big chup is a chup, and neither
  /// removed workouts nor deleted accounts have chups; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = edges.brokenInvariant { return broken }
    var broken: String?
    big.forEachPair { workout, user, _ in
      if !edges.contains(workout, user) {
        broken = "\(names[UserID(index: user)]) has a big chup without a chup"
      }
    }
    for index in edges.starts {
      let workout = WorkoutID(index: index)
      if ownership.isGone(workout), !users(of: workout).isEmpty {
        return "\(names[workout]) is gone and has chups"
      }
      for user in users(of: workout) where ownership.isGone(user) {
        return "\(names[user]) is deleted and chups \(names[workout])"
      }
    }
    return broken
  }
}
