/// A hash table that finds an event type by the bytes of its name in a line. The readers use it for
/// every line.
///
/// The table is a constant with 128 entries, and compares names without copying them. Unlike a
/// `KeyTable`, it never grows and needs no second look-up.
struct TypeTable: Sendable {
  private struct Entry {
    var length = 0
    var first: UInt64 = 0
    var last: UInt64 = 0
    var type: EventType?
  }

  static let shared = TypeTable()
  private var entries = [Entry](repeating: Entry(), count: 128)

  private init() {
    for type in EventType.allCases {
      let name = type.wireName
      // Each name has at least eight bytes, so the first and the last eight cover a name of up to
      // 16 bytes; `find` compares longer names as a whole.
      precondition(name.utf8CodeUnitCount >= 8 && name.utf8CodeUnitCount <= 24)
      let entry = Self.entry(
        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      var at = Self.slot(entry)
      while entries[at].type != nil { at = (at + 1) & 127 }
      entries[at] = entry
      entries[at].type = type
    }
  }

  @inline(__always)
  private static func entry(_ bytes: UnsafeBufferPointer<UInt8>) -> Entry {
    let raw = UnsafeRawPointer(bytes.baseAddress!)
    return Entry(
      length: bytes.count, first: raw.loadUnaligned(as: UInt64.self),
      last: raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
  }

  @inline(__always)
  private static func slot(_ entry: Entry) -> Int {
    let mixed = (entry.first ^ entry.last &* 3) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: (mixed ^ UInt64(entry.length)) >> 57)
  }

  @inline(__always)
  func find(_ bytes: UnsafeBufferPointer<UInt8>) -> EventType? {
    guard bytes.count >= 8 else { return nil }
    let wanted = Self.entry(bytes)
    var at = Self.slot(wanted)
    while let type = entries[at].type {
      let entry = entries[at]
      if entry.length == wanted.length, entry.first == wanted.first, entry.last == wanted.last,
        bytes.count <= 16 || equal(bytes.baseAddress!, type.wireName.utf8Start, bytes.count)
      {
        return type
      }
      at = (at + 1) & 127
    }
    return nil
  }

  func find(_ name: String) -> EventType? {
    var name = name
    return name.withUTF8 { find($0) }
  }
}
