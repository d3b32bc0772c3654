/// A date and time in RFC 3339 format. It keeps the text as written and the instant that the text
/// names.
///
/// Two values are equal only if their texts are equal: `…T10:00:00Z` and `…T11:00:00+01:00` differ,
/// although they name the same instant.
public struct DateTime: Hashable, Sendable {
  /// The RFC 3339 text, as written.
  public let text: String
  /// The instant that the text names, to the millisecond.
  public let instant: Timestamp

  /// Creates a date and time from an instant; the text is in UTC.
  public init(_ instant: Timestamp) {
    text = "\(instant)"
    self.instant = instant
  }

  /// Reads an RFC 3339 `date-time`; returns nil for any other text. A leap second is read as the
  /// last millisecond of its minute. `instant` ignores digits beyond milliseconds.
  public init?(_ text: String) {
    var copy = text
    guard let instant = copy.withUTF8({ Self.parse($0) }) else { return nil }
    (self.text, self.instant) = (text, instant)
  }

  static func parse(
    _ b: UnsafeBufferPointer<UInt8>, isForeign: Bool = false
  ) -> Timestamp? {
    guard b.count >= 20,
      b[10] | 0x20 == UInt8(ascii: "t") || isForeign && b[10] == UInt8(ascii: " "),
      let day = Day(b, at: 0)
    else { return nil }
    let isLeapSecond = b[17] == UInt8(ascii: "6") && b[18] == UInt8(ascii: "0")
    var seconds: Int64
    if isLeapSecond {
      guard let minute = decimalNumber(b, 14, 2), minute < 60, let hour = decimalNumber(b, 11, 2),
        hour < 24,
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

  /// Reads a UTC offset, `Z` or `+hh:mm`. Returns the offset in seconds east of UTC; nil for other
  /// bytes.
  private static func offset(_ b: UnsafeBufferPointer<UInt8>) -> Int64? {
    if b.count == 1, b[0] | 0x20 == UInt8(ascii: "z") { return 0 }
    guard b.count == 6, b[3] == UInt8(ascii: ":") else { return nil }
    return offset(b, minutesAt: 4)
  }

  /// Reads a UTC offset, `+hh` or `+hhmm`. Returns the offset in seconds east of UTC; nil for other
  /// bytes.
  private static func shortOffset(_ b: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard b.count == 3 || b.count == 5 else { return nil }
    return offset(b, minutesAt: b.count == 5 ? 3 : nil)
  }

  private static func offset(_ b: UnsafeBufferPointer<UInt8>, minutesAt: Int?) -> Int64? {
    guard b[0] == UInt8(ascii: "+") || b[0] == UInt8(ascii: "-"),
      let hours = decimalNumber(b, 1, 2), hours < 24,
      let minutes = minutesAt.map({ decimalNumber(b, $0, 2) }) ?? 0, minutes < 60
    else { return nil }
    return (b[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }
}
