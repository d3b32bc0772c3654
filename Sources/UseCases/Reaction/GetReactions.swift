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
    public var mine: [ReactionKind]
    /// The users who reacted: at most 100, the newest reaction first.
    public var users: [ReactionRow]

    public var json: JSONValue {
      .object([
        "counts": counts.json, "mine": .array(mine.map { .string($0.rawValue) }),
        "users": users.json,
      ])
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
      return ReactionRow(user: row, kinds: model.views.reactions(to: workout, by: user).all)
    }
    var mine = ReactionKinds()
    if case .user(let user) = viewer { mine = model.views.reactions(to: workout, by: user) }
    return Reactions(
      counts: ReactionCounts(workout, in: model), mine: mine.all, users: Array(rows.prefix(100)))
  }
}
