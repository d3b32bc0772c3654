import Events

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
