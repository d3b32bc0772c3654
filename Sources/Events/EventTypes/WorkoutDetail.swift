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

  func write<W: MemberWriter>(to w: inout W) {
    w.member("workout", workout)
    w.member("intervals", intervals)
    w.optional("image", image)
    w.optional("ocrConfidence", ocrConfidence)
    w.member("wasManuallyEdited", wasManuallyEdited)
  }

  public var stream: StreamID { .workout(workout) }

  mutating func mapIDs(_ map: some IDMap) {
    workout = map(workout)
  }

  var words: Words? { Words(of: AnyID(workout), by: .maker) }

  mutating func mapContent(_ map: inout some ContentMap) {
    image = map.text(image, "image")
  }
}

/// One interval of a workout's detail: metres, strokes and beats a minute; confidences are 0…1.
public struct Interval: WireMembers {
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

  func write<W: MemberWriter>(to w: inout W) {
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
