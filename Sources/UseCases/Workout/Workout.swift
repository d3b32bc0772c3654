import Aggregates
import Events
import Projections

/// A shared workout.
public struct Workout: Answer {
  /// The workout's id.
  public var workout: String
  /// The owner's id.
  public var owner: String
  /// The app's own id of the workout, unique among the owner's workouts.
  public var localID: String?
  /// The time of the workout.
  public var date: DateTime
  /// The type of the workout, such as 2000m or 3x4:00/3:00r.
  public var workoutType: String?
  /// The total time of the workout: `mm:ss.t` or `h:mm:ss.t`.
  public var totalTime: String?
  /// The distance in metres.
  public var totalDistance: Int64?
  /// The average time for 500 m.
  public var averageSplit: String?
  /// The intensity zone, such as UT2.
  public var intensityZone: String?
  /// Whether the workout was an erg test.
  public var isErgTest: Bool
  /// The owner's text about the workout.
  public var text: String?
  /// The session that the workout was part of.
  public var session: String?
  /// The climb's name.
  public var climb: String?
  /// The users who may see the workout.
  public var audience: Audience?
  /// The time when the workout was shared.
  public var createdAt: Timestamp?
  /// The owner's row, as in lists.
  public var ownerRow: ProfileRow?

  init(_ shared: WorkoutShared, for viewer: Viewer, in model: borrowing Model) {
    let names = model.names
    workout = names[shared.workout]
    owner = names[shared.owner]
    localID = shared.localID
    date = shared.date
    workoutType = shared.workoutType
    totalTime = shared.totalTime
    totalDistance = shared.totalDistance
    averageSplit = shared.averageSplit
    intensityZone = shared.intensityZone
    isErgTest = shared.isErgTest
    text = shared.text
    session = shared.session
    climb = shared.climb
    audience = shared.audience ?? model.rules.audience
    createdAt = model.views.times(of: shared.workout)?.shared
    ownerRow = model.row(shared.owner, for: viewer)
  }

  public var json: JSONValue { .object(members) }

  var members: [JSONValue.Member] {
    [
      .init("workout", .string(workout)), .init("owner", .string(owner)),
      .init("localID", .optional(localID)), .init("date", .string(date.text)),
      .init("workoutType", .optional(workoutType)), .init("totalTime", .optional(totalTime)),
      .init("totalDistance", .optional(totalDistance)),
      .init("averageSplit", .optional(averageSplit)),
      .init("intensityZone", .optional(intensityZone)), .init("isErgTest", .bool(isErgTest)),
      .init("text", .optional(text)), .init("session", .optional(session)),
      .init("climb", .optional(climb)), .init("audience", .optional(audience?.rawValue)),
      .init("createdAt", .optional(createdAt.map { "\($0)" })),
      .init("ownerRow", ownerRow.json),
    ]
  }
}
