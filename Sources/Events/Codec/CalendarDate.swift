/// A date in the proleptic Gregorian calendar, from year 0000 to 9999. It is written `YYYY-MM-DD`.
public struct CalendarDate: Hashable, Comparable, Sendable, BitwiseCopyable,
  CustomStringConvertible
{
  let day: Day

  /// Reads a date `YYYY-MM-DD`; returns nil for any other text and for a date that does not exist.
  public init?(_ text: String) {
    var text = text
    let day = text.withUTF8 { $0.count == 10 ? Day($0, at: 0) : nil }
    guard let day else { return nil }
    self.day = day
  }

  init(_ day: Day) { self.day = day }

  /// The instant at which the day starts: midnight UTC.
  public var start: Timestamp { Timestamp(milliseconds: day.sinceEpoch * 86_400_000) }

  public static func < (a: Self, b: Self) -> Bool { a.day.sinceEpoch < b.day.sinceEpoch }

  public var description: String {
    var out = ByteBuffer(capacity: 64)
    day.append(to: &out)
    return out.text
  }
}
