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

  init(_ workout: Workout, _ detail: WorkoutDetailAttached?, attached time: Timestamp?) {
    detailCreatedAt = time
    self.workout = workout
    intervals = detail?.intervals
    image = detail?.image
    ocrConfidence = detail?.ocrConfidence
    wasManuallyEdited = detail?.wasManuallyEdited
  }

  public var json: JSONValue {
    .object(
      workout.members + [
        .init("intervals", intervals.map { .array($0.map(Self.json)) } ?? .null),
        .init("image", .optional(image)),
        .init("ocrConfidence", ocrConfidence.map { .double($0) } ?? .null),
        .init("wasManuallyEdited", wasManuallyEdited.json),
        .init("detailCreatedAt", .optional(detailCreatedAt.map { "\($0)" })),
      ])
  }

  private static func json(_ interval: Interval) -> JSONValue {
    .object([
      "orderIndex": .int(interval.orderIndex), "time": .string(interval.time),
      "meters": .int(interval.meters), "splitPer500m": .string(interval.splitPer500m),
      "strokeRate": .int(interval.strokeRate), "heartRate": .optional(interval.heartRate),
      "timeConfidence": .double(interval.timeConfidence),
      "metersConfidence": .double(interval.metersConfidence),
      "splitConfidence": .double(interval.splitConfidence),
      "rateConfidence": .double(interval.rateConfidence),
      "heartRateConfidence": interval.heartRateConfidence.map { .double($0) } ?? .null,
    ])
  }
}
