/// An instant in UTC, exact to the millisecond.
///
/// Its text is `2026-01-19T09:00:00.000Z`, for years 0000…9999. It is stored as an integer, because
/// a floating-point number would lose milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number of milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// Creates an instant from milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The instant 1970-01-01T00:00:00.000Z.
  public static let epoch = Timestamp(milliseconds: 0)
  /// The instant 0000-01-01T00:00:00.000Z, the earliest that a log can contain.
  public static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
  /// The instant 9999-12-31T23:59:59.999Z, the latest that a log can contain.
  public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  static let length = 24

  /// Reads an instant in the log's form `YYYY-MM-DDThh:mm:ss.mmmZ`; returns nil for any other text.
  public init?(_ text: String) {
    var text = text
    guard let value = text.withUTF8({ Timestamp(canonical: $0) }) else { return nil }
    self = value
  }

  init?(canonical bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == Self.length, bytes[10] == UInt8(ascii: "T"),
      bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
      let day = Day(bytes, at: 0), let time = Self.clock(bytes, at: 11),
      let fraction = decimalNumber(bytes, 20, 3)
    else { return nil }
    milliseconds = (day.sinceEpoch * 86_400 + time) * 1_000 + fraction
  }

  /// Reads a time `hh:mm:ss` and returns it in seconds since midnight; nil for other bytes.
  static func clock(_ bytes: UnsafeBufferPointer<UInt8>, at: Int) -> Int64? {
    guard bytes.count >= at + 8, bytes[at + 2] == UInt8(ascii: ":"),
      bytes[at + 5] == UInt8(ascii: ":"), let hour = decimalNumber(bytes, at, 2), hour < 24,
      let minute = decimalNumber(bytes, at + 3, 2), minute < 60,
      let second = decimalNumber(bytes, at + 6, 2), second < 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  func append(to out: inout ByteBuffer) {
    let inRange = min(max(self, .earliest), .latest).milliseconds
    let (days, rest) = floorDivide(inRange, 86_400_000)
    Day(sinceEpoch: days).append(to: &out)
    out.append(UInt8(ascii: "T"))
    appendPadded(rest / 3_600_000, 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(rest / 60_000 % 60, 2, to: &out)
    out.append(UInt8(ascii: ":"))
    appendPadded(rest / 1_000 % 60, 2, to: &out)
    out.append(UInt8(ascii: "."))
    appendPadded(rest % 1_000, 3, to: &out)
    out.append(UInt8(ascii: "Z"))
  }
}

extension Timestamp {
  /// The number of the instant's day in UTC; 1970-01-01 is day 0.
  public var daysSinceEpoch: Int64 { floorDivide(milliseconds, 86_400_000).quotient }

  /// The number of the instant's week in UTC. Weeks start on Monday; the week with 1970-01-01 is
  /// week 0.
  public var weeksSinceEpoch: Int64 { floorDivide(daysSinceEpoch + 3, 7).quotient }

  /// Returns the start of the Monday on which a week begins.
  public static func start(ofWeek week: Int64) -> Timestamp {
    Timestamp(milliseconds: (week * 7 - 3) * 86_400_000)
  }

  /// The date of the instant in UTC.
  public var date: CalendarDate { CalendarDate(Day(sinceEpoch: daysSinceEpoch)) }

  /// The number of the instant's month in UTC; January of year 0 is month 0.
  public var monthsSinceYearZero: Int64 {
    let (year, month, _) = Day(sinceEpoch: daysSinceEpoch).civil
    return year * 12 + month - 1
  }
}

extension Timestamp {
  /// Reads the time of an imported line.
  ///
  /// The text must have the form of RFC 3339. A space instead of the `T`, and offsets `+hh` and
  /// `+hhmm`, are also accepted, because PostgreSQL and `strftime` write these.
  ///
  /// Digits beyond milliseconds are ignored; a leap second is read as the last millisecond of its
  /// minute.
  /// - Returns: Nil if the text is not a time with an offset. The instant may be after `latest` or
  ///   before `earliest`, for example for `9999-12-31T23:59:59-01:00`.
  public init?(foreign text: String) {
    var text = text
    guard let value = text.withUTF8({ DateTime.parse($0, isForeign: true) }) else { return nil }
    self = value
  }
}

extension Timestamp: CustomStringConvertible {
  /// The instant in the log's form, `YYYY-MM-DDThh:mm:ss.mmmZ`.
  public var description: String {
    var out = ByteBuffer(capacity: 64)
    append(to: &out)
    return out.text
  }
}
