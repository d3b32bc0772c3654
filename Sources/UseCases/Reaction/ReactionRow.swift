import Events
import Projections

/// A user who reacted to a workout.
public struct ReactionRow: Answer {
  /// The user who reacted, as the caller sees them.
  public var user: ProfileRow
  /// The kinds of the user's reactions, in the order of `ReactionKind.allCases`.
  public var kinds: [Choice<ReactionKind>]

  public static var schema: String? { "ReactionRow" }
  public static var placeholder: ReactionRow { ReactionRow(user: .placeholder, kinds: []) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try user.code(with: &fields)
    try fields.required("kinds", "The kinds of the user's reactions.", &kinds)
  }
}

/// The number of a workout's reactions of each kind.
public struct ReactionCounts: Answer {
  /// The number of reactions of each kind; kinds without reactions are omitted.
  public var counts: [ReactionKind: Int] = [:]

  /// Creates the counts of a workout without reactions.
  public init() {}

  package init(_ workout: WorkoutID, in model: Model) {
    for kind in ReactionKind.allCases {
      let count = model.views.reactionCount(workout, kind)
      if count > 0 { counts[kind] = count }
    }
  }

  public static var schema: String? { "ReactionCounts" }
  public static var placeholder: ReactionCounts { ReactionCounts() }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    for kind in ReactionKind.allCases {
      try fields.optional(
        kind.rawValue,
        "The number of all these reactions, also by hidden users; omitted if there are none.",
        &counts[kind])
    }
  }
}
