import Events

/// The reactions of each user to each workout.
///
/// ```swift
/// Array(reactions.users(of: run))  // [carol, bob]: newest first
/// reactions.kinds(run, carol).all  // [.fire, .clap]
/// reactions.count(run, .fire)  // 2
/// ```
/// Removing a workout or deleting an account removes its reactions. A workout's list sorts users by
/// the time of the first of their current reactions.
/// - Complexity: see `Edges`. Removing a workout or deleting an account costs O(reactions removed).
public struct Reactions: Projection {
  public static let name = "reactions"
  public static let version = 1
  public static let handles = Ownership.handles.union(.reaction)

  /// The edges from each workout to the users who reacted to it.
  private var edges = DatedEdges()
  /// By workout and user: the raw value of the user's `ReactionKinds`.
  private var masks = KeyTable()
  /// The number of a workout's reactions of each kind, by workout and by the kind's number.
  private var counts = KeyTable()
  private var ownership = Ownership()

  public init() {}

  public mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .reaction(let event): apply(event, moment)
    case .workout(let event): removeAll(ownership.apply(event))
    case .accountDeleted(let data):
      removeAll(ownership.removeAccount(data.user))
      for workout in Array(edges.to(data.user.index)) {
        set([], WorkoutID(index: workout), data.user)
      }
    default: break
    }
  }

  /// Removes the reactions to workouts that are gone.
  private mutating func removeAll(_ workouts: [WorkoutID]) {
    for workout in workouts {
      for user in Array(edges.from(workout.index)) { set([], workout, UserID(index: user)) }
    }
  }

  private mutating func apply(_ event: ReactionEvent, _ moment: Moment) {
    switch event {
    case .given(let data):
      guard !ownership.isGone(data.workout), !ownership.isGone(data.user) else { return }
      edges.insert(data.workout.index, data.user.index, at: moment.time)
      let kinds = kinds(data.workout, data.user)
      set(kinds.union(ReactionKinds(data.kind)), data.workout, data.user)
    case .withdrawn(let data):
      let kinds = kinds(data.workout, data.user)
      set(kinds.subtracting(ReactionKinds(data.kind)), data.workout, data.user)
    }
  }

  public mutating func prefetch(_ event: borrowing Event) {
    switch event {
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)):
      edges.prefetch(data.workout.index, data.user.index)
      masks.prefetch(KeyTable.key(data.workout.index, data.user.index))
      counts.prefetch(KeyTable.key(data.workout.index, UInt32(data.kind.number)))
    default: break
    }
  }

  /// Replaces a user's reactions to a workout.
  private mutating func set(_ new: ReactionKinds, _ workout: WorkoutID, _ user: UserID) {
    let old = kinds(workout, user)
    for kind in old.symmetricDifference(new).all {
      let key = KeyTable.key(workout.index, UInt32(kind.number))
      let count = counts[key] ?? 0
      let next = new.contains(ReactionKinds(kind)) ? count + 1 : count - min(count, 1)
      if next == 0 { _ = counts.remove(key) } else { counts.set(key, next) }
    }
    let key = KeyTable.key(workout.index, user.index)
    if new.isEmpty {
      _ = masks.remove(key)
      edges.remove(workout.index, user.index)
    } else {
      masks.set(key, UInt32(new.rawValue))
    }
  }

  public mutating func code(with coder: inout StateCoder) {
    edges.code(with: &coder)
    masks.code(with: &coder)
    counts.code(with: &coder)
    ownership.code(with: &coder)
  }

  /// Returns the users who reacted to the workout, newest first.
  public func users(of workout: WorkoutID) -> Users { Users(edges.from(workout.index)) }

  /// Returns the workouts to which the user reacted, newest reaction first.
  func workouts(of user: UserID) -> [WorkoutID] {
    edges.to(user.index).map { WorkoutID(index: $0) }
  }

  /// Returns the user's current reactions to the workout.
  public func kinds(_ workout: WorkoutID, _ user: UserID) -> ReactionKinds {
    ReactionKinds(
      rawValue: UInt8(
        truncatingIfNeeded: masks[KeyTable.key(workout.index, user.index)] ?? 0))
  }

  /// Returns the number of the workout's reactions of a kind.
  public func count(_ workout: WorkoutID, _ kind: ReactionKind) -> Int {
    // Reactions are rare: if there are none at all, the lookup is unnecessary.
    edges.count == 0
      ? 0 : Int(counts[KeyTable.key(workout.index, UInt32(kind.number))] ?? 0)
  }

  /// Returns the time of the first of the user's current reactions to the workout; nil if there is
  /// none.
  public func since(_ workout: WorkoutID, _ user: UserID) -> Timestamp? {
    edges.since(workout.index, user.index)
  }

  /// Returns nil if the lists, kinds and counts of reactions agree, and neither removed workouts
  /// nor deleted accounts have reactions; otherwise describes the fault.
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = edges.brokenInvariant { return broken }
    for index in edges.starts {
      let workout = WorkoutID(index: index)
      let users = users(of: workout)
      if ownership.isGone(workout), !users.isEmpty {
        return "\(names[workout]) is gone and has reactions"
      }
      for user in users {
        if ownership.isGone(user) {
          return "\(names[user]) is deleted and reacts to \(names[workout])"
        }
        if kinds(workout, user).isEmpty {
          return "\(names[user]) is listed for \(names[workout]) without a reaction"
        }
      }
      for kind in ReactionKind.allCases {
        let listed = users.count { kinds(workout, $0).contains(ReactionKinds(kind)) }
        if listed != count(workout, kind) {
          return "\(names[workout]) counts \(count(workout, kind)) of \(listed) \(kind.rawValue)"
        }
      }
    }
    return nil
  }
}
