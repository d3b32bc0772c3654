import Events
import Tables
import UseCases

/// The form in which PostgreSQL stores texts and JSON.
///
/// PostgreSQL cannot store the character U+0000. The type `jsonb` keeps the last of several fields
/// with one name, sorts the fields, and writes numbers without exponents.
package enum PostgresText {
  /// Returns the value that a mirror returns for `value`. A comparison of a projection's rows with
  /// a mirror's rows compares these values.
  package static func stored(_ value: TableValue) -> TableValue {
    switch value {
    case .text(let text): .text(withoutNUL(text))
    case .json(let json): .json(stored(json))
    case .null, .int, .double, .bool, .time: value
    }
  }

  /// Returns a text with U+FFFD in place of each U+0000.
  static func withoutNUL(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(scalar.value == 0 ? "\u{fffd}" : scalar) }
    return String(result)
  }

  /// Returns the value that `jsonb` stores.
  static func stored(_ json: JSONValue) -> JSONValue {
    switch json {
    case .null, .bool: return json
    case .number(let text): return .number(decimal(text))
    case .string(let text): return .string(withoutNUL(text))
    case .array(let values): return .array(values.map { stored($0) })
    case .object(let members):
      var last: [String: JSONValue] = [:]
      for member in members { last[withoutNUL(member.name)] = stored(member.value) }
      let sorted = last.sorted { a, b in
        let (first, second) = (a.key.utf8, b.key.utf8)
        if first.count != second.count { return first.count < second.count }
        return first.lexicographicallyPrecedes(second)
      }
      return .object(sorted.map { JSONValue.Member($0.key, $0.value) })
    }
  }

  /// Returns a JSON number without an exponent, as PostgreSQL's type `numeric` writes it. A number
  /// with over 1,000 digits before or after the point stays as it is.
  static func decimal(_ number: String) -> String {
    let isNegative = number.hasPrefix("-")
    let parts = number.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".")
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var digits = (mantissa.first.map(String.init) ?? "") + fraction
    let exponent = parts.count > 1 ? Int(parts[1]) : 0
    guard let exponent, abs(exponent) <= 1_000 else { return number }
    // The number of digits before the point.
    var whole = digits.count - fraction.count + exponent
    if whole < 1 {
      digits = String(repeating: "0", count: 1 - whole) + digits
      whole = 1
    }
    if whole > digits.count { digits += String(repeating: "0", count: whole - digits.count) }
    let tail = digits.dropFirst(whole)
    let head = digits.prefix(whole).drop { $0 == "0" }
    let isZero = digits.allSatisfy { $0 == "0" }
    return (isNegative && !isZero ? "-" : "") + (head.isEmpty ? "0" : head)
      + (tail.isEmpty ? "" : "." + tail)
  }
}
