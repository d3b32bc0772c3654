import Events
import Projections

/// A user who reacted to a workout.
public struct ReactionRow: Answer {
  /// The user who reacted, as the caller sees them.
  public var user: ProfileRow
  /// The kinds of the user's reactions, in the order of `ReactionKind.allCases`.
  public var kinds: [ReactionKind]

  public var json: JSONValue {
    let kinds = JSONValue.array(kinds.map { .string($0.rawValue) })
    guard case .object(let members) = user.json else { return .object(["kinds": kinds]) }
    return .object(members + [.init("kinds", kinds)])
  }
}

/// The number of a workout's reactions of each kind.
public struct ReactionCounts: Answer {
  /// The number of reactions of each kind; kinds without reactions are omitted.
  public var counts: [ReactionKind: Int] = [:]

  init(_ workout: WorkoutID, in model: borrowing Model) {
    for kind in ReactionKind.allCases {
      let count = model.views.reactionCount(workout, kind)
      if count > 0 { counts[kind] = count }
    }
  }

  public var json: JSONValue {
    .object(
      ReactionKind.allCases.compactMap { kind in
        counts[kind].map { .init(kind.rawValue, .int($0)) }
      })
  }
}
