import Events

/// The input of use cases about one workout.
public struct WorkoutReferenceInput: UseCaseInput {
  public var workout: String

  public init(workout: String) { self.workout = workout }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.required("workout", "Which.")
  }
}

/// An item to be shared: a workout, or a post; which members it must have is a matter of the rules.
public struct WorkoutInput: UseCaseInput {
  /// The workout's id; a new one by default.
  public var workout: String?
  /// The app's own id, unique per owner: sharing it again edits the workout shared with it before.
  public var localID: String?
  public var date: DateTime
  public var workoutType: String?
  /// `mm:ss.t` or `h:mm:ss.t`, as all durations.
  public var totalTime: String?
  /// In metres.
  public var totalDistance: Int64?
  /// Per 500 m.
  public var averageSplit: String?
  public var intensityZone: String?
  public var isErgTest: Bool?
  public var text: String?
  public var session: String?
  public var climb: String?
  /// Who may see it; by default as the rules say, or as it was if it is shared again.
  public var audience: Audience?

  public init(
    workout: String? = nil, localID: String? = nil, date: DateTime, workoutType: String? = nil,
    totalTime: String? = nil, totalDistance: Int64? = nil, averageSplit: String? = nil,
    isErgTest: Bool? = nil, text: String? = nil, session: String? = nil, climb: String? = nil,
    audience: Audience? = nil
  ) {
    self.workout = workout
    self.localID = localID
    self.date = date
    self.workoutType = workoutType
    self.totalTime = totalTime
    self.totalDistance = totalDistance
    self.averageSplit = averageSplit
    self.isErgTest = isErgTest
    self.text = text
    self.session = session
    self.climb = climb
    self.audience = audience
  }

  public init(from fields: inout Fields) throws(InputError) {
    workout = try fields.optional("workout", "The id to give it; a new one by default.")
    localID = try fields.optional("localID", "The app's own id: sharing it again edits.")
    date = try fields.required("date", "When it was done.")
    workoutType = try fields.optional("workoutType", "Such as 2000m or 3x4:00/3:00r.")
    totalTime = try fields.optional("totalTime", "As 06:30.0, 6:30 or 1:02:03.")
    totalDistance = try fields.optional("totalDistance", "In metres.")
    averageSplit = try fields.optional("averageSplit", "Per 500 m, as 01:52.5 or 1:52.")
    intensityZone = try fields.optional("intensityZone", "Such as UT2.")
    isErgTest = try fields.optional("isErgTest", "Whether it was a test; false by default.")
    text = try fields.optional("text", "What the owner says of it.")
    session = try fields.optional("session", "The session it was part of.")
    climb = try fields.optional("climb", "The climb it was on.")
    audience = try fields.optional("audience", "Who may see it; as the rules say by default.")
  }

  func shared(_ id: WorkoutID, by owner: UserID) -> WorkoutShared {
    WorkoutShared(
      workout: id, owner: owner, localID: localID, date: date, workoutType: workoutType,
      totalTime: totalTime, totalDistance: totalDistance, averageSplit: averageSplit,
      intensityZone: intensityZone, isErgTest: isErgTest ?? false, text: text, session: session,
      climb: climb, audience: audience)
  }
}

/// One interval of a workout's detail.
public struct IntervalInput: UseCaseInput {
  public var interval: Interval

  public init(_ interval: Interval) { self.interval = interval }

  public init(from fields: inout Fields) throws(InputError) {
    interval = Interval(
      orderIndex: try fields.required("orderIndex", "Its place."),
      time: try fields.required("time", "As 06:30.0, 6:30 or 1:02:03."),
      meters: try fields.required("meters", "The distance."),
      splitPer500m: try fields.required("splitPer500m", "As 01:52.5 or 1:52."),
      strokeRate: try fields.required("strokeRate", "Strokes a minute."),
      heartRate: try fields.optional("heartRate", "Beats a minute."),
      timeConfidence: try Self.confidence("timeConfidence", &fields),
      metersConfidence: try Self.confidence("metersConfidence", &fields),
      splitConfidence: try Self.confidence("splitConfidence", &fields),
      rateConfidence: try Self.confidence("rateConfidence", &fields),
      heartRateConfidence: try fields.optional("heartRateConfidence", "0 to 1."))
  }

  private static func confidence(
    _ name: StaticString, _ fields: inout Fields
  ) throws(InputError) -> Double {
    try fields.optional(name, "How sure the reading is: 0 to 1, 1 by default.") ?? 1
  }
}
