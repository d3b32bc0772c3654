import Aggregates
import Events
import Projections

/// A shared workout.
public struct Workout: Answer {
  public var workout: String
  public var owner: String
  public var localID: String?
  public var date: DateTime
  public var workoutType: String?
  public var totalTime: String?
  public var totalDistance: Int64?
  public var averageSplit: String?
  public var intensityZone: String?
  public var isErgTest: Bool
  public var text: String?
  public var session: String?
  public var climb: String?
  public var audience: Audience?
  /// When it was shared.
  public var createdAt: Timestamp?
  /// The owner, as in lists.
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
