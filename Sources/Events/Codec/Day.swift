/// A day, stored as the number of days since 1970-01-01. The conversions follow Howard Hinnant,
/// “chrono-compatible low-level date algorithms”.
struct Day: Hashable, Sendable {
  var sinceEpoch: Int64

  init(sinceEpoch: Int64) { self.sinceEpoch = sinceEpoch }

  /// Reads a date `YYYY-MM-DD` from offset `at` of the bytes; returns nil if no valid date is
  /// there.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, at: Int) {
    guard bytes.count >= at + 10, bytes[at + 4] == UInt8(ascii: "-"),
      bytes[at + 7] == UInt8(ascii: "-"), let year = decimalNumber(bytes, at, 4),
      let month = decimalNumber(bytes, at + 5, 2), (1...12).contains(month),
      let day = decimalNumber(bytes, at + 8, 2), day >= 1, day <= Self.length(year, month)
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

/// Returns the value of `digits` decimal digits from offset `at` on; nil if one of the bytes is not
/// a digit.
func decimalNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int, _ digits: Int) -> Int64? {
  var value: Int64 = 0
  for index in at..<at + digits {
    let digit = bytes[index] &- UInt8(ascii: "0")
    guard digit < 10 else { return nil }
    value = value * 10 + Int64(digit)
  }
  return value
}

/// Appends the last `digits` digits of a number, padded with leading zeros.
@inline(__always)
func appendPadded(_ value: Int64, _ digits: Int, to out: inout ByteBuffer) {
  out.appendDigits(UInt64(truncatingIfNeeded: value), digits)
}

/// Divides, rounding the quotient down so that the remainder is never negative.
func floorDivide(_ value: Int64, _ by: Int64) -> (quotient: Int64, remainder: Int64) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: by)
  return remainder < 0 ? (quotient - 1, remainder + by) : (quotient, remainder)
}
