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

  init() { self.init(workout: .blank, intervals: [], wasManuallyEdited: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("intervals", &intervals)
    try members("image", &image)
    try members("ocrConfidence", &ocrConfidence)
    try members("wasManuallyEdited", &wasManuallyEdited)
  }

  public var stream: StreamID { .workout(workout) }

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

  init() {
    self.init(
      orderIndex: 0, time: "", meters: 0, splitPer500m: "", strokeRate: 0, timeConfidence: 0,
      metersConfidence: 0, splitConfidence: 0, rateConfidence: 0)
  }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("orderIndex", &orderIndex)
    try members("time", &time)
    try members("meters", &meters)
    try members("splitPer500m", &splitPer500m)
    try members("strokeRate", &strokeRate)
    try members("heartRate", &heartRate)
    try members("timeConfidence", &timeConfidence)
    try members("metersConfidence", &metersConfidence)
    try members("splitConfidence", &splitConfidence)
    try members("rateConfidence", &rateConfidence)
    try members("heartRateConfidence", &heartRateConfidence)
  }
}
