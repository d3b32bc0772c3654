/// The data of `WorkoutDetailAttached`: a workout's intervals. They were read from a photo of the
/// rowing monitor, or typed in.
public struct WorkoutDetailAttached: EventData {
  /// The workout to which the intervals belong.
  public var workout: WorkoutID
  /// The intervals of the workout.
  public var intervals: [Interval]
  /// The path in storage of the photo of the rowing monitor; nil if there is none.
  public var image: String?
  /// The confidence of the text recognition that read the photo: 0…1.
  public var ocrConfidence: Double?
  /// Whether a person edited the intervals by hand.
  public var wasManuallyEdited: Bool

  /// Creates the data of a `WorkoutDetailAttached` event.
  public init(
    workout: WorkoutID, intervals: [Interval], image: String? = nil,
    ocrConfidence: Double? = nil, wasManuallyEdited: Bool
  ) {
    (self.workout, self.intervals, self.image) = (workout, intervals, image)
    (self.ocrConfidence, self.wasManuallyEdited) = (ocrConfidence, wasManuallyEdited)
  }

  init() { self.init(workout: .blank, intervals: [], wasManuallyEdited: false) }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("workout", &workout)
    try members("intervals", &intervals)
    try members.text("image", &image, .words)
    try members("ocrConfidence", &ocrConfidence)
    try members("wasManuallyEdited", &wasManuallyEdited)
  }

  public var stream: StreamID { .workout(workout) }

  var words: Words? { Words(of: AnyID(workout), by: .maker) }
}

/// One interval of a workout. Each confidence says how surely the text recognition read a value:
/// 0…1.
public struct Interval: WireMembers {
  /// The interval's position among the workout's intervals.
  public var orderIndex: Int64
  /// The interval's duration: `mm:ss.t` or `h:mm:ss.t`.
  public var time: String
  /// The interval's distance in metres.
  public var meters: Int64
  /// The interval's time per 500 m.
  public var splitPer500m: String
  /// The number of strokes per minute in the interval.
  public var strokeRate: Int64
  /// The number of heartbeats per minute in the interval.
  public var heartRate: Int64?
  /// The text recognition's confidence (0…1) in `time`.
  public var timeConfidence: Double
  /// The text recognition's confidence (0…1) in `meters`.
  public var metersConfidence: Double
  /// The text recognition's confidence (0…1) in `splitPer500m`.
  public var splitConfidence: Double
  /// The text recognition's confidence (0…1) in `strokeRate`.
  public var rateConfidence: Double
  /// The text recognition's confidence (0…1) in `heartRate`.
  public var heartRateConfidence: Double?

  /// Creates an interval of a workout.
  public init(
    orderIndex: Int64, time: String, meters: Int64, splitPer500m: String, strokeRate: Int64,
    heartRate: Int64? = nil, timeConfidence: Double, metersConfidence: Double,
    splitConfidence: Double, rateConfidence: Double, heartRateConfidence: Double? = nil
  ) {
    (self.orderIndex, self.time, self.meters) = (orderIndex, time, meters)
    (self.splitPer500m, self.strokeRate, self.heartRate) = (splitPer500m, strokeRate, heartRate)
    (self.timeConfidence, self.metersConfidence) = (timeConfidence, metersConfidence)
    (self.splitConfidence, self.rateConfidence) = (splitConfidence, rateConfidence)
    self.heartRateConfidence = heartRateConfidence
  }

  init() {
    self.init(
      orderIndex: 0, time: "", meters: 0, splitPer500m: "", strokeRate: 0, timeConfidence: 0,
      metersConfidence: 0, splitConfidence: 0, rateConfidence: 0)
  }

  mutating func code(with members: inout some MemberCoder) throws(LineFault) {
    try members("orderIndex", &orderIndex)
    try members.text("time", &time, .plain)
    try members("meters", &meters)
    try members.text("splitPer500m", &splitPer500m, .plain)
    try members("strokeRate", &strokeRate)
    try members("heartRate", &heartRate)
    try members("timeConfidence", &timeConfidence)
    try members("metersConfidence", &metersConfidence)
    try members("splitConfidence", &splitConfidence)
    try members("rateConfidence", &rateConfidence)
    try members("heartRateConfidence", &heartRateConfidence)
  }
}
