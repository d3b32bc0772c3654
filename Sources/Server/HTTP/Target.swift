/// A request's target, strictly decoded: path segments and query items.
///
/// ```swift
/// Target("/v1/do/GetProfile?user=al")?.path  // ["v1", "do", "GetProfile"]
/// ```
struct Target {
  var path: [String]
  var items: [Item]

  struct Item {
    var name: String
    var value: String
  }

  /// Parses the target of a request.
  /// - Returns: nil if the text is not a path or has an invalid escape. A path must not contain
  ///   empty, `.` or `..` segments, escaped slashes or control characters.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      return nil
    }
    path = []
    items = []
    let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    if mark == 1 { return }
    var at = 1
    while at <= mark {
      let end = bytes[at..<mark].firstIndex(of: UInt8(ascii: "/")) ?? mark
      guard let name = Self.decoded(bytes, at..<end, plusIsSpace: false),
        name != "", name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/"))
      else { return nil }
      path.append(name)
      at = end + 1
    }
    while at < bytes.count {
      let end = bytes[at...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      if at < end {
        let equals = bytes[at..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
        guard let name = Self.decoded(bytes, at..<equals, plusIsSpace: true),
          let value = Self.decoded(bytes, min(equals + 1, end)..<end, plusIsSpace: true)
        else { return nil }
        items.append(Item(name: name, value: value))
      }
      at = end + 1
    }
  }

  private static func decoded(_ bytes: [UInt8], _ range: Range<Int>, plusIsSpace: Bool) -> String? {
    var out: [UInt8] = []
    out.reserveCapacity(range.count)
    var at = range.lowerBound
    while at < range.upperBound {
      switch bytes[at] {
      case UInt8(ascii: "%"):
        guard at + 2 < range.upperBound, let high = hex(bytes[at + 1]),
          let low = hex(bytes[at + 2])
        else { return nil }
        let byte = high << 4 | low
        // Query items may have any character; a path has no control characters.
        guard plusIsSpace || byte >= 0x20 && byte != 0x7f else { return nil }
        out.append(byte)
        at += 3
      case UInt8(ascii: "+") where plusIsSpace:
        out.append(0x20)
        at += 1
      case let byte:
        out.append(byte)
        at += 1
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}

/// Returns whether a byte is an ASCII letter or digit.
func isAlphanumeric(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7a ~= byte | 0x20 }
