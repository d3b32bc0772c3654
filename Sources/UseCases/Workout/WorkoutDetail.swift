import Events

/// A workout with its attached detail: intervals and a photo.
public struct WorkoutDetail: Answer {
  /// The workout.
  public var workout: Workout
  /// The intervals, in order; nil if no detail is attached.
  public var intervals: [Interval]?
  /// The path of the attached photo in storage; nil if there is none.
  public var image: String?
  /// The confidence of the text recognition: 0 to 1.
  public var ocrConfidence: Double?
  /// Whether somebody corrected the recognized values.
  public var wasManuallyEdited: Bool?
  /// The time when the detail was last attached.
  public var detailCreatedAt: Timestamp?

  public static var schema: String? { "WorkoutDetail" }
  public static var placeholder: WorkoutDetail { WorkoutDetail(workout: .placeholder) }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try workout.code(with: &fields)
    try fields.nullable("intervals", "The intervals, in order.", &intervals)
    try fields.nullable("image", "The path of the photo in storage.", &image)
    try fields.nullable(
      "ocrConfidence", "The confidence of the text recognition: 0 to 1.", &ocrConfidence)
    try fields.nullable(
      "wasManuallyEdited", "Whether somebody corrected the values.", &wasManuallyEdited)
    try fields.nullable(
      "detailCreatedAt", "The time when the detail was last attached.", &detailCreatedAt)
  }
}

extension Interval: Answer {
  public static var schema: String? { "Interval" }
  public static var placeholder: Interval {
    Interval(
      orderIndex: 0, time: "", meters: 0, splitPer500m: "", strokeRate: 0, timeConfidence: 1,
      metersConfidence: 1, splitConfidence: 1, rateConfidence: 1)
  }
  public mutating func code(with fields: inout Fields) throws(InputError) {
    try fields.required("orderIndex", "The interval's place in the order.", &orderIndex)
    try fields.required("time", "The time: `mm:ss.t` or `h:mm:ss.t`.", &time)
    try fields.required("meters", "The distance in metres.", &meters)
    try fields.required("splitPer500m", "The time for 500 m.", &splitPer500m)
    try fields.required("strokeRate", "The strokes per minute.", &strokeRate)
    try fields.nullable("heartRate", "The heartbeats per minute.", &heartRate)
    try fields.required("timeConfidence", "The confidence of the time: 0 to 1.", &timeConfidence)
    try fields.required(
      "metersConfidence", "The confidence of the distance: 0 to 1.", &metersConfidence)
    try fields.required(
      "splitConfidence", "The confidence of the split: 0 to 1.", &splitConfidence)
    try fields.required(
      "rateConfidence", "The confidence of the stroke rate: 0 to 1.", &rateConfidence)
    try fields.nullable(
      "heartRateConfidence", "The confidence of the heart rate: 0 to 1.", &heartRateConfidence)
  }
}

extension WorkoutDetail {
  init(_ workout: Workout, _ detail: WorkoutDetailAttached?, attached time: Timestamp?) {
    detailCreatedAt = time
    self.workout = workout
    intervals = detail?.intervals
    image = detail?.image
    ocrConfidence = detail?.ocrConfidence
    wasManuallyEdited = detail?.wasManuallyEdited
  }
}
