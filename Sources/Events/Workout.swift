/// The data of `WorkoutShared`: an activity, public to its owner and the owner's friends.
///
/// Distances are metres; times are texts, `mm:ss.t` or `h:mm:ss.t`; the split is per 500 m.
public struct WorkoutShared: EventData {
  public var workout: WorkoutID
  public var owner: UserID
  public var localID: String
  public var date: DateTime
  public var workoutType: String
  public var totalTime: String
  public var totalDistance: Int64
  public var averageSplit: String
  public var intensityZone: String?
  public var isErgTest: Bool
  public var text: String?
  public var session: String?
  public var climb: String?

  public init(
    workout: WorkoutID, owner: UserID, localID: String, date: DateTime, workoutType: String,
    totalTime: String, totalDistance: Int64, averageSplit: String, intensityZone: String? = nil,
    isErgTest: Bool, text: String? = nil, session: String? = nil, climb: String? = nil
  ) {
    self.workout = workout
    self.owner = owner
    self.localID = localID
    self.date = date
    self.workoutType = workoutType
    self.totalTime = totalTime
    self.totalDistance = totalDistance
    self.averageSplit = averageSplit
    self.intensityZone = intensityZone
    self.isErgTest = isErgTest
    self.text = text
    self.session = session
    self.climb = climb
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    owner = try r.required("owner")
    localID = try r.required("localID")
    date = try r.required("date")
    workoutType = try r.required("workoutType")
    totalTime = try r.required("totalTime")
    totalDistance = try r.required("totalDistance")
    averageSplit = try r.required("averageSplit")
    intensityZone = try r.optional("intensityZone")
    isErgTest = try r.required("isErgTest")
    text = try r.optional("text")
    session = try r.optional("session")
    climb = try r.optional("climb")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
    w.member("owner", owner)
    w.member("localID", localID)
    w.member("date", date)
    w.member("workoutType", workoutType)
    w.member("totalTime", totalTime)
    w.member("totalDistance", totalDistance)
    w.member("averageSplit", averageSplit)
    w.optional("intensityZone", intensityZone)
    w.member("isErgTest", isErgTest)
    w.optional("text", text)
    w.optional("session", session)
    w.optional("climb", climb)
  }

  public var stream: StreamID { .workout(workout) }
}

extension WorkoutShared {
  /// Applies a merge patch: what it does not name stays as it was.
  public mutating func apply(_ edit: WorkoutEdited) {
    date = edit.date ?? date
    workoutType = edit.workoutType ?? workoutType
    totalTime = edit.totalTime ?? totalTime
    totalDistance = edit.totalDistance ?? totalDistance
    averageSplit = edit.averageSplit ?? averageSplit
    edit.intensityZone.apply(to: &intensityZone)
    isErgTest = edit.isErgTest ?? isErgTest
    edit.text.apply(to: &text)
    edit.session.apply(to: &session)
    edit.climb.apply(to: &climb)
  }
}

/// The data of `WorkoutEdited`, a merge patch (RFC 7396) of the members from `date` on.
public struct WorkoutEdited: EventData {
  public var workout: WorkoutID
  public var date: DateTime?
  public var workoutType: String?
  public var totalTime: String?
  public var totalDistance: Int64?
  public var averageSplit: String?
  public var intensityZone: Patch<String>
  public var isErgTest: Bool?
  public var text: Patch<String>
  public var session: Patch<String>
  public var climb: Patch<String>

  public init(
    workout: WorkoutID, date: DateTime? = nil, workoutType: String? = nil,
    totalTime: String? = nil, totalDistance: Int64? = nil, averageSplit: String? = nil,
    intensityZone: Patch<String> = .keep, isErgTest: Bool? = nil, text: Patch<String> = .keep,
    session: Patch<String> = .keep, climb: Patch<String> = .keep
  ) {
    self.workout = workout
    self.date = date
    self.workoutType = workoutType
    self.totalTime = totalTime
    self.totalDistance = totalDistance
    self.averageSplit = averageSplit
    self.intensityZone = intensityZone
    self.isErgTest = isErgTest
    self.text = text
    self.session = session
    self.climb = climb
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    date = try r.optional("date")
    workoutType = try r.optional("workoutType")
    totalTime = try r.optional("totalTime")
    totalDistance = try r.optional("totalDistance")
    averageSplit = try r.optional("averageSplit")
    intensityZone = try r.patch("intensityZone")
    isErgTest = try r.optional("isErgTest")
    text = try r.patch("text")
    session = try r.patch("session")
    climb = try r.patch("climb")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
    w.optional("date", date)
    w.optional("workoutType", workoutType)
    w.optional("totalTime", totalTime)
    w.optional("totalDistance", totalDistance)
    w.optional("averageSplit", averageSplit)
    w.patch("intensityZone", intensityZone)
    w.optional("isErgTest", isErgTest)
    w.patch("text", text)
    w.patch("session", session)
    w.patch("climb", climb)
  }

  public var stream: StreamID { .workout(workout) }
}

/// The data of `WorkoutDetailAttached`: the intervals, as read from a monitor's photo or typed in.
public struct WorkoutDetailAttached: EventData {
  public var workout: WorkoutID
  public var intervals: [Interval]
  public var image: String?
  public var ocrConfidence: Double?
  public var wasManuallyEdited: Bool

  public init(
    workout: WorkoutID, intervals: [Interval], image: String? = nil,
    ocrConfidence: Double? = nil, wasManuallyEdited: Bool
  ) {
    self.workout = workout
    self.intervals = intervals
    self.image = image
    self.ocrConfidence = ocrConfidence
    self.wasManuallyEdited = wasManuallyEdited
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
    intervals = try r.required("intervals")
    image = try r.optional("image")
    ocrConfidence = try r.optional("ocrConfidence")
    wasManuallyEdited = try r.required("wasManuallyEdited")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
    w.member("intervals", intervals)
    w.optional("image", image)
    w.optional("ocrConfidence", ocrConfidence)
    w.member("wasManuallyEdited", wasManuallyEdited)
  }

  public var stream: StreamID { .workout(workout) }
}

/// One interval of a workout's detail: metres, strokes and beats a minute; confidences are 0…1.
public struct Interval: Equatable, Sendable {
  public var orderIndex: Int64
  public var time: String
  public var meters: Int64
  public var splitPer500m: String
  public var strokeRate: Int64
  public var heartRate: Int64?
  public var timeConfidence: Double
  public var metersConfidence: Double
  public var splitConfidence: Double
  public var rateConfidence: Double
  public var heartRateConfidence: Double?

  public init(
    orderIndex: Int64, time: String, meters: Int64, splitPer500m: String, strokeRate: Int64,
    heartRate: Int64? = nil, timeConfidence: Double, metersConfidence: Double,
    splitConfidence: Double, rateConfidence: Double, heartRateConfidence: Double? = nil
  ) {
    self.orderIndex = orderIndex
    self.time = time
    self.meters = meters
    self.splitPer500m = splitPer500m
    self.strokeRate = strokeRate
    self.heartRate = heartRate
    self.timeConfidence = timeConfidence
    self.metersConfidence = metersConfidence
    self.splitConfidence = splitConfidence
    self.rateConfidence = rateConfidence
    self.heartRateConfidence = heartRateConfidence
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    orderIndex = try r.required("orderIndex")
    time = try r.required("time")
    meters = try r.required("meters")
    splitPer500m = try r.required("splitPer500m")
    strokeRate = try r.required("strokeRate")
    heartRate = try r.optional("heartRate")
    timeConfidence = try r.required("timeConfidence")
    metersConfidence = try r.required("metersConfidence")
    splitConfidence = try r.required("splitConfidence")
    rateConfidence = try r.required("rateConfidence")
    heartRateConfidence = try r.optional("heartRateConfidence")
  }

  func write(to w: inout MemberWriter) {
    w.member("orderIndex", orderIndex)
    w.member("time", time)
    w.member("meters", meters)
    w.member("splitPer500m", splitPer500m)
    w.member("strokeRate", strokeRate)
    w.optional("heartRate", heartRate)
    w.member("timeConfidence", timeConfidence)
    w.member("metersConfidence", metersConfidence)
    w.member("splitConfidence", splitConfidence)
    w.member("rateConfidence", rateConfidence)
    w.optional("heartRateConfidence", heartRateConfidence)
  }
}

/// The data of `WorkoutRemoved`: a workout and nothing else.
public struct WorkoutReference: EventData {
  public var workout: WorkoutID

  public init(workout: WorkoutID) {
    self.workout = workout
  }

  init<R: MemberReader>(from r: inout R) throws(LineFault) {
    workout = try r.required("workout")
  }

  func write(to w: inout MemberWriter) {
    w.member("workout", workout)
  }

  public var stream: StreamID { .workout(workout) }
}
