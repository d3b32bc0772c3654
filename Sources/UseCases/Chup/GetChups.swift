import Aggregates
import Events
import Projections

/// The users who chupped a workout.
public struct GetChups: Query {
  /// The chups (likes) of a workout.
  public struct Chups: Answer {
    /// The number of all chups.
    public var count: Int
    /// Whether the caller chupped the workout.
    public var chuppedByMe: Bool
    /// The users who chupped the workout: at most 100, the newest chup first.
    public var users: [ProfileRow]

    public static var schema: String? { "Chups" }
    public static var placeholder: Chups { Chups(count: 0, chuppedByMe: false, users: []) }
    public mutating func code(with fields: inout Fields) throws(InputError) {
      try fields.required(
        "count", "The number of all chups, including those by hidden users.", &count)
      try fields.required("chuppedByMe", "Whether the caller chupped the workout.", &chuppedByMe)
      try fields.required(
        "users", "The users who chupped the workout: at most 100, the newest chup first.", &users)
    }
  }

  public static let about = About(
    "GetChups", .chups, "Show the users who chupped a workout",
    result: "count, chuppedByMe, and at most 100 rows of users, the newest chup first",
    errors: ["workoutNotFound", "notVisible"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: WorkoutReferenceInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Chups {
    let workout = try model.visible(input.workout, to: caller).workout
    let users = model.views.chups(of: workout)
    let viewer = model.viewer(caller)
    let rows = users.lazy.compactMap {
      model.row($0, for: viewer, since: model.views.chuppedSince(workout, $0))
    }
    var isMine = false
    if case .user(let user) = viewer { isMine = model.views.hasChupped(workout, user) }
    return Chups(
      count: model.views.chupCount(of: workout), chuppedByMe: isMine,
      users: Array(rows.prefix(100)))
  }
}
