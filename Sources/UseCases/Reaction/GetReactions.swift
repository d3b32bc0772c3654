import Aggregates
import Events
import Projections

/// The users who reacted to a workout, with their reactions.
public struct GetReactions: Query {
  /// The reactions to a workout.
  public struct Reactions: Answer {
    /// The number of reactions of each kind; kinds without reactions are omitted.
    public var counts: ReactionCounts
    /// The kinds of the caller's own reactions to the workout.
    public var mine: [Choice<ReactionKind>]
    /// The users who reacted: at most 100, the newest reaction first.
    public var users: [ReactionRow]

    public static var schema: String? { "Reactions" }
    public static var placeholder: Reactions {
      Reactions(counts: .placeholder, mine: [], users: [])
    }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required(
        "counts", "The number of reactions of each kind; kinds without reactions are omitted.",
        &counts)
      try fields.required("mine", "The kinds of the caller's own reactions to the workout.", &mine)
      try fields.required(
        "users", "The users who reacted: at most 100, the newest reaction first.", &users)
    }
  }

  public static let about = About(
    "GetReactions", .reactions, "Show the users who reacted to a workout, with their reactions",
    result:
      "counts by kind, mine, and at most 100 rows of users with their kinds, the newest first",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Reactions {
    let workout = try model.visible(input.workout, to: caller).workout
    let viewer = model.viewer(caller)
    let rows = model.views.reactions(to: workout).lazy.compactMap { user -> ReactionRow? in
      let since = model.views.reactedSince(workout, user)
      guard let row = model.row(user, for: viewer, since: since) else { return nil }
      return ReactionRow(
        user: row, kinds: model.views.reactions(to: workout, by: user).all.map(Choice.known))
    }
    var mine = ReactionKinds()
    if case .user(let user) = viewer { mine = model.views.reactions(to: workout, by: user) }
    return Reactions(
      counts: ReactionCounts(workout, in: model), mine: mine.all.map(Choice.known),
      users: Array(rows.prefix(100)))
  }
}
