import Aggregates
import Events
import Projections

/// A shared workout, as a query returns it to one caller.
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
  public var audience: Choice<Audience>?
  /// The time when the workout was shared.
  public var createdAt: Timestamp?
  /// The owner's row, as in lists.
  public var ownerRow: ProfileRow?

  public static var schema: String? { "Workout" }
  public static var placeholder: Workout {
    Workout(workout: "", owner: "", date: .placeholder, isErgTest: false)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("workout", "The workout's id.", &workout)
    try fields.required("owner", "The owner's id.", &owner)
    try fields.nullable(
      "localID", "The app's own id of the workout, unique among the owner's workouts.", &localID)
    try fields.required("date", "The time of the workout.", &date)
    try fields.nullable(
      "workoutType", "The type of the workout, such as 2000m or 3x4:00/3:00r.", &workoutType)
    try fields.nullable(
      "totalTime", "The total time of the workout: `mm:ss.t` or `h:mm:ss.t`.", &totalTime)
    try fields.nullable("totalDistance", "The distance in metres.", &totalDistance)
    try fields.nullable("averageSplit", "The average time for 500 m.", &averageSplit)
    try fields.nullable("intensityZone", "The intensity zone, such as UT2.", &intensityZone)
    try fields.required("isErgTest", "Whether the workout was an erg test.", &isErgTest)
    try fields.nullable("text", "The owner's text about the workout.", &text)
    try fields.nullable("session", "The session that the workout was part of.", &session)
    try fields.nullable("climb", "The climb's name.", &climb)
    try fields.nullable("audience", "The users who may see the workout.", &audience)
    try fields.nullable("createdAt", "The time when the workout was shared.", &createdAt)
    try fields.nullable("ownerRow", "The owner's row, as in lists.", &ownerRow)
  }
}

extension Workout {
  package init(_ shared: WorkoutShared, for viewer: Viewer, in model: Model) {
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
    audience = .known(shared.audience ?? model.rules.audience)
    createdAt = model.views.times(of: shared.workout)?.shared
    ownerRow = model.row(shared.owner, for: viewer)
  }
}
