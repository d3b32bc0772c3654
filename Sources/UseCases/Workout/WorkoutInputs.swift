import Events

/// The input of use cases about one workout.
public struct WorkoutReferenceInput: UseCaseInput {
  /// The workout's id.
  public var workout: String

  /// Creates the input.
  public init(workout: String) { self.workout = workout }

  public static var placeholder: WorkoutReferenceInput {
    WorkoutReferenceInput(workout: .placeholder)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("workout", "The workout's id.", &workout)
  }
}

/// An item to share: a workout or a post. The rules decide which fields it must have.
public struct WorkoutInput: UseCaseInput {
  /// The new workout's id; by default a generated id.
  public var workout: String?
  /// The app's own id of the workout, unique among the owner's workouts. Sharing with the same id
  /// again edits the earlier workout.
  public var localID: String?
  /// The time of the workout.
  public var date: DateTime
  /// The type of the workout, such as 2000m or 3x4:00/3:00r.
  public var workoutType: String?
  /// The total time of the workout: `mm:ss.t` or `h:mm:ss.t`, like all durations.
  public var totalTime: String?
  /// The distance in metres.
  public var totalDistance: Int64?
  /// The average time for 500 m.
  public var averageSplit: String?
  /// The intensity zone, such as UT2.
  public var intensityZone: String?
  /// Whether the workout was an erg test; by default false.
  public var isErgTest: Bool?
  /// The owner's text about the workout.
  public var text: String?
  /// The session that the workout was part of.
  public var session: String?
  /// The climb's name.
  public var climb: String?
  /// The users who may see the workout. Nil means the rules' default; if the workout is shared
  /// again, nil keeps the audience.
  public var audience: Audience?

  /// Creates the input.
  public init(
    workout: String? = nil, localID: String? = nil, date: DateTime, workoutType: String? = nil,
    totalTime: String? = nil, totalDistance: Int64? = nil, averageSplit: String? = nil,
    isErgTest: Bool? = nil, text: String? = nil, session: String? = nil, climb: String? = nil,
    audience: Audience? = nil
  ) {
    (self.workout, self.localID, self.date) = (workout, localID, date)
    (self.workoutType, self.totalTime, self.totalDistance) = (workoutType, totalTime, totalDistance)
    (self.averageSplit, self.isErgTest, self.text) = (averageSplit, isErgTest, text)
    (self.session, self.climb, self.audience) = (session, climb, audience)
  }

  public static var placeholder: WorkoutInput { WorkoutInput(date: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.optional("workout", "The new workout's id; by default a new id.", &workout)
    try fields.optional(
      "localID", "The app's own id. Sharing it again edits the earlier workout.", &localID)
    try fields.required("date", "The time of the workout.", &date)
    try fields.optional("workoutType", "The type, such as 2000m or 3x4:00/3:00r.", &workoutType)
    try fields.optional(
      "totalTime", "The total time, such as 06:30.0, 6:30 or 1:02:03.", &totalTime)
    try fields.optional("totalDistance", "The distance in metres.", &totalDistance)
    try fields.optional(
      "averageSplit", "The average time for 500 m, such as 01:52.5 or 1:52.", &averageSplit)
    try fields.optional("intensityZone", "The intensity zone, such as UT2.", &intensityZone)
    try fields.optional("isErgTest", "Whether it was a test; by default false.", &isErgTest)
    try fields.optional("text", "The owner's text.", &text)
    try fields.optional("session", "The session of the workout.", &session)
    try fields.optional("climb", "The climb of the workout.", &climb)
    try fields.optional("audience", "The audience; by default as the rules say.", &audience)
  }

  func shared(_ id: WorkoutID, by owner: UserID) -> WorkoutShared {
    WorkoutShared(
      workout: id, owner: owner, localID: localID, date: date, workoutType: workoutType,
      totalTime: totalTime, totalDistance: totalDistance, averageSplit: averageSplit,
      intensityZone: intensityZone, isErgTest: isErgTest ?? false, text: text, session: session,
      climb: climb, audience: audience)
  }
}

/// The input for one interval of a workout's detail.
public struct IntervalInput: UseCaseInput {
  /// The interval that the fields describe.
  public var interval: Interval

  /// Creates the input.
  public init(_ interval: Interval) { self.interval = interval }

  public static var placeholder: IntervalInput { IntervalInput(.placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("orderIndex", "The interval's place in the order.", &interval.orderIndex)
    try fields.required("time", "The time, such as 06:30.0, 6:30 or 1:02:03.", &interval.time)
    try fields.required("meters", "The distance in metres.", &interval.meters)
    try fields.required(
      "splitPer500m", "The time for 500 m, such as 01:52.5 or 1:52.", &interval.splitPer500m)
    try fields.required("strokeRate", "The strokes per minute.", &interval.strokeRate)
    try fields.optional("heartRate", "The heartbeats per minute.", &interval.heartRate)
    try Self.confidence("timeConfidence", &interval.timeConfidence, &fields)
    try Self.confidence("metersConfidence", &interval.metersConfidence, &fields)
    try Self.confidence("splitConfidence", &interval.splitConfidence, &fields)
    try Self.confidence("rateConfidence", &interval.rateConfidence, &fields)
    try fields.optional(
      "heartRateConfidence", "The confidence of the reading: 0 to 1.",
      &interval.heartRateConfidence)
  }

  private static func confidence(
    _ name: String, _ value: inout Double, _ fields: inout Fields
  ) throws(InputError) {
    var confidence: Double? = value
    try fields.optional(
      name, "The confidence of the reading: 0 to 1, by default 1.", &confidence)
    value = confidence ?? 1
  }
}
