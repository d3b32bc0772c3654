/// An instant in UTC, exactly to the millisecond: milliseconds since 1970-01-01T00:00:00Z.
///
/// Written as `2026-01-19T09:00:00.000Z`; years 0000…9999. Never a floating-point number, which
/// would lose milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// 1970-01-01T00:00:00.000Z.
  public static let epoch = Timestamp(milliseconds: 0)
  /// 0000-01-01T00:00:00.000Z, the earliest that can be written.
  public static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
  /// 9999-12-31T23:59:59.999Z, the latest that can be written.
  public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  static let length = 24

  /// Reads the log's form only: `YYYY-MM-DDThh:mm:ss.mmmZ`; nil for anything else.
  public init?(_ text: String) {
    var text = text
    guard let value = text.withUTF8({ Timestamp(canonical: $0) }) else { return nil }
    self = value
  }

  init?(canonical bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == Self.length, bytes[10] == UInt8(ascii: "T"),
      bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
      let day = Day(bytes, at: 0), let time = Self.clock(bytes, at: 11),
      let fraction = number(bytes, 20, 3)
    else { return nil }
    milliseconds = (day.sinceEpoch * 86_400 + time) * 1_000 + fraction
  }

  /// Seconds since midnight of `hh:mm:ss`, or nil.
  static func clock(_ bytes: UnsafeBufferPointer<UInt8>, at: Int) -> Int64? {
    guard bytes.count >= at + 8, bytes[at + 2] == UInt8(ascii: ":"),
      bytes[at + 5] == UInt8(ascii: ":"), let hour = number(bytes, at, 2), hour < 24,
      let minute = number(bytes, at + 3, 2), minute < 60,
      let second = number(bytes, at + 6, 2), second < 60
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
  /// The day in UTC: 0 is 1970-01-01.
  public var daysSinceEpoch: Int64 { floorDivide(milliseconds, 86_400_000).quotient }

  /// Weeks, from Monday on, since that of 1970-01-01, which was a Thursday.
  public var weeksSinceEpoch: Int64 { floorDivide(daysSinceEpoch + 3, 7).quotient }

  /// The Monday with which a week begins, in milliseconds; that of the year 0 is before it.
  public static func start(ofWeek week: Int64) -> Timestamp {
    Timestamp(milliseconds: (week * 7 - 3) * 86_400_000)
  }

  /// The day in UTC.
  public var date: CalendarDate { CalendarDate(Day(sinceEpoch: daysSinceEpoch)) }

  /// The month in UTC: 0 is January of year 0.
  public var monthsSinceYearZero: Int64 {
    let (year, month, _) = Day(sinceEpoch: daysSinceEpoch).civil
    return year * 12 + month - 1
  }
}

extension Timestamp {
  /// Reads the time of a foreign line: RFC 3339, also with a space instead of the `T` and with
  /// offsets of `+hh` and `+hhmm`, as PostgreSQL and `strftime` write them.
  ///
  /// Digits beyond milliseconds are cut off; a leap second is the last millisecond of its minute.
  /// - Returns: nil if the text names no instant; without an offset it does not. The instant may
  ///   lie outside the years that can be written: `9999-12-31T23:59:59-01:00`.
  public init?(foreign text: String) {
    var text = text
    guard let value = text.withUTF8({ DateTime.parse($0, isForeign: true) }) else { return nil }
    self = value
  }
}

extension Timestamp: CustomStringConvertible {
  /// The log's form.
  public var description: String {
    var out = ByteBuffer(capacity: 64)
    append(to: &out)
    return out.text
  }
}

/// A day of the proleptic Gregorian calendar, `YYYY-MM-DD`; years 0000…9999.
public struct CalendarDate: Hashable, Comparable, Sendable, BitwiseCopyable,
  CustomStringConvertible
{
  let day: Day

  /// Reads `YYYY-MM-DD`; nil for anything else, such as a day that does not exist.
  public init?(_ text: String) {
    var text = text
    let day = text.withUTF8 { $0.count == 10 ? Day($0, at: 0) : nil }
    guard let day else { return nil }
    self.day = day
  }

  init(_ day: Day) { self.day = day }

  /// Midnight UTC at which the day begins.
  public var start: Timestamp { Timestamp(milliseconds: day.sinceEpoch * 86_400_000) }

  public static func < (a: Self, b: Self) -> Bool { a.day.sinceEpoch < b.day.sinceEpoch }

  public var description: String {
    var out = ByteBuffer(capacity: 64)
    day.append(to: &out)
    return out.text
  }
}

/// A date and time as RFC 3339 writes it, kept as written, with the instant it names.
///
/// Equal when written alike: `…T10:00:00Z` and `…T11:00:00+01:00` are one instant, not one text.
public struct DateTime: Hashable, Sendable {
  public let text: String
  public let instant: Timestamp

  /// An instant, written in UTC.
  public init(_ instant: Timestamp) {
    text = "\(instant)"
    self.instant = instant
  }

  /// - Returns: nil if the text is not an RFC 3339 `date-time`. A leap second counts as the last
  ///   millisecond of its minute; digits beyond milliseconds do not count in `instant`.
  public init?(_ text: String) {
    var copy = text
    guard let instant = copy.withUTF8({ Self.parse($0) }) else { return nil }
    self.text = text
    self.instant = instant
  }

  fileprivate static func parse(
    _ b: UnsafeBufferPointer<UInt8>, isForeign: Bool = false
  ) -> Timestamp? {
    guard b.count >= 20,
      b[10] | 0x20 == UInt8(ascii: "t") || isForeign && b[10] == UInt8(ascii: " "),
      let day = Day(b, at: 0)
    else { return nil }
    let isLeapSecond = b[17] == UInt8(ascii: "6") && b[18] == UInt8(ascii: "0")
    var seconds: Int64
    if isLeapSecond {
      guard let minute = number(b, 14, 2), minute < 60, let hour = number(b, 11, 2), hour < 24,
        b[13] == UInt8(ascii: ":"), b[16] == UInt8(ascii: ":")
      else { return nil }
      seconds = hour * 3_600 + minute * 60 + 59
    } else {
      guard let clock = Timestamp.clock(b, at: 11) else { return nil }
      seconds = clock
    }
    var at = 19
    var fraction: Int64 = 0
    if b[at] == UInt8(ascii: ".") {
      at += 1
      var scale: Int64 = 100
      let first = at
      while at < b.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(b[at]) {
        fraction += Int64(b[at] - UInt8(ascii: "0")) * scale
        scale /= 10
        at += 1
      }
      guard at > first else { return nil }
    }
    if isLeapSecond { fraction = 999 }
    let zone = UnsafeBufferPointer(rebasing: b[at...])
    guard let offset = offset(zone) ?? (isForeign ? shortOffset(zone) : nil) else { return nil }
    seconds += day.sinceEpoch * 86_400 - offset
    return Timestamp(milliseconds: seconds * 1_000 + fraction)
  }

  /// Seconds east of UTC of `Z` or `+hh:mm`.
  private static func offset(_ b: UnsafeBufferPointer<UInt8>) -> Int64? {
    if b.count == 1, b[0] | 0x20 == UInt8(ascii: "z") { return 0 }
    guard b.count == 6, b[3] == UInt8(ascii: ":") else { return nil }
    return offset(b, minutesAt: 4)
  }

  /// Seconds east of UTC of `+hh` or `+hhmm`.
  private static func shortOffset(_ b: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard b.count == 3 || b.count == 5 else { return nil }
    return offset(b, minutesAt: b.count == 5 ? 3 : nil)
  }

  private static func offset(_ b: UnsafeBufferPointer<UInt8>, minutesAt: Int?) -> Int64? {
    guard b[0] == UInt8(ascii: "+") || b[0] == UInt8(ascii: "-"),
      let hours = number(b, 1, 2), hours < 24,
      let minutes = minutesAt.map({ number(b, $0, 2) }) ?? 0, minutes < 60
    else { return nil }
    return (b[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }
}

/// A day as a count since 1970-01-01; conversions after Howard Hinnant, “chrono-compatible
/// low-level date algorithms”.
struct Day: Hashable, Sendable {
  var sinceEpoch: Int64

  init(sinceEpoch: Int64) { self.sinceEpoch = sinceEpoch }

  /// Reads `YYYY-MM-DD` at an offset.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, at: Int) {
    guard bytes.count >= at + 10, bytes[at + 4] == UInt8(ascii: "-"),
      bytes[at + 7] == UInt8(ascii: "-"), let year = number(bytes, at, 4),
      let month = number(bytes, at + 5, 2), (1...12).contains(month),
      let day = number(bytes, at + 8, 2), day >= 1, day <= Self.length(year, month)
    else { return nil }
    let y = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(y, 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    sinceEpoch = era * 146_097 + dayOfEra - 719_468
  }

  private static func length(_ year: Int64, _ month: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  var civil: (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(sinceEpoch + 719_468, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  func append(to out: inout ByteBuffer) {
    let (year, month, day) = civil
    appendPadded(year, 4, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(month, 2, to: &out)
    out.append(UInt8(ascii: "-"))
    appendPadded(day, 2, to: &out)
  }
}

private func number(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ digits: Int) -> Int64? {
  var value: Int64 = 0
  for index in at..<at + digits {
    let digit = bytes[index] &- UInt8(ascii: "0")
    guard digit < 10 else { return nil }
    value = value * 10 + Int64(digit)
  }
  return value
}

private func appendPadded(_ value: Int64, _ digits: Int, to out: inout ByteBuffer) {
  var divisor: Int64 = 1
  for _ in 1..<digits { divisor *= 10 }
  while divisor > 0 {
    out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
    divisor /= 10
  }
}

private func floorDivide(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
  return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
}
