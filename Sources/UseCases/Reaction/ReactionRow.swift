import Events
import Projections

/// Somebody who reacted to a workout.
public struct ReactionRow: Answer {
  public var user: ProfileRow
  /// In the order of `ReactionKind.allCases`.
  public var kinds: [ReactionKind]

  public var json: JSONValue {
    let kinds = JSONValue.array(kinds.map { .string($0.rawValue) })
    guard case .object(let members) = user.json else { return .object(["kinds": kinds]) }
    return .object(members + [.init("kinds", kinds)])
  }
}

/// How many reactions of each kind a workout has; those of which there are any.
public struct ReactionCounts: Answer {
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
