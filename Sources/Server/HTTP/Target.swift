/// The target of a request, decoded once and strictly: path segments and query items.
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

  /// - Returns: nil for what no client means: another form than a path, empty, `.` and `..`
  ///   segments, escaped slashes, control characters in a path, and escapes that are none or no
  ///   UTF-8.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      return nil
    }
    let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    path = []
    items = []
    if mark == 1 { return }
    for segment in bytes[1..<mark].split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let name = Self.decoded(segment, plusIsSpace: false),
        !["", ".", ".."].contains(name), !name.utf8.contains(UInt8(ascii: "/"))
      else { return nil }
      path.append(name)
    }
    for item in bytes[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      guard let name = Self.decoded(item[..<equals], plusIsSpace: true),
        let value = Self.decoded(item[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      items.append(Item(name: name, value: value))
    }
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
    if !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
      return String(validating: bytes, as: UTF8.self)
    }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = bytes.startIndex
    while at < bytes.endIndex {
      switch bytes[at] {
      case UInt8(ascii: "%"):
        guard at + 2 < bytes.endIndex, let high = hex(bytes[at + 1]), let low = hex(bytes[at + 2])
        else { return nil }
        let byte = high << 4 | low
        // A text asked for may have any character; a path has no control characters.
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
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
