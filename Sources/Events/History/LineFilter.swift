/// A filter for the lines whose events may name certain ids. A replay with a filter decodes only
/// these lines, but checks all lines.
///
/// ```swift
/// let filter = LineFilter(ids: ["alice"], types: [.accountDeleted])
/// filter.covers("alice")  // true
/// ```
/// The filter keeps each line that has one of the ids as a string in `data`, in upper or lower
/// case. It also keeps the lines of some event types, and each line that it cannot read. So it may
/// keep too many lines, but never too few.
/// - Complexity: one step for each eight bytes of `data` and each id.
package struct LineFilter: Sendable {
  /// The ids, in lower case.
  package let ids: Set<String>
  /// The event types whose lines are always kept.
  package let types: EventTypes
  private let words: [QuotedWord]

  /// Creates a filter for ids, which may be invalid, and for event types.
  package init(ids: some Sequence<String>, types: EventTypes) {
    self.ids = Set(ids.lazy.filter { isValidID($0.utf8) }.map { $0.lowercased() })
    self.types = types
    // An id with escaped characters has a backslash and a `u` in the line.
    words = self.ids.sorted().map { QuotedWord("\"" + $0 + "\"") } + [QuotedWord("\\u00")]
  }

  /// Whether the filter keeps all events that name an id. No event names an invalid id.
  package func covers(_ id: String) -> Bool {
    ids.contains(id.lowercased()) || !isValidID(id.utf8)
  }

  /// Whether the filter keeps a line of a block that begins at `base`. At least 64 readable bytes
  /// follow the block.
  @inline(__always)
  func keeps(_ line: ScannedLine, _ base: UnsafePointer<UInt8>) -> Bool {
    guard line.data > 1, let type = line.type, !types.contains(type) else { return true }
    let data = UnsafeRawPointer(base + line.start + line.data)
    let count = line.length - line.data
    return words.contains { $0.occurs(in: data, count) }
  }
}

/// A text to find in bytes, without regard to the case of ASCII letters.
private struct QuotedWord: Sendable {
  /// The bytes in lower case.
  private let bytes: [UInt8]
  /// The second byte and the last two bytes, each repeated eight times. Together they are rare.
  private let probes: (UInt64, UInt64, UInt64)

  /// - Precondition: `text` has at least three bytes, all of them ASCII.
  init(_ text: String) {
    let bytes = text.utf8.map { $0 | 0x20 }
    func repeated(_ index: Int) -> UInt64 { UInt64(bytes[index]) &* 0x0101_0101_0101_0101 }
    self.bytes = bytes
    probes = (repeated(1), repeated(bytes.count - 2), repeated(bytes.count - 1))
  }

  /// Whether the text occurs in `count` bytes. It reads up to eight bytes more.
  @inline(__always)
  func occurs(in start: UnsafeRawPointer, _ count: Int) -> Bool {
    let length = bytes.count
    var at = 0
    while at <= count - length {
      let here = start + at
      // A zero byte in `misses` is a place where all three probes match.
      let misses =
        (Self.word(here + 1) ^ probes.0) | (Self.word(here + (length - 2)) ^ probes.1)
        | (Self.word(here + (length - 1)) ^ probes.2)
      var found = (misses &- 0x0101_0101_0101_0101) & ~misses & 0x8080_8080_8080_8080
      while found != 0 {
        let offset = found.trailingZeroBitCount >> 3
        if at + offset <= count - length, isAt(here + offset) { return true }
        found &= found &- 1
      }
      at += 8
    }
    return false
  }

  private func isAt(_ start: UnsafeRawPointer) -> Bool {
    bytes.indices.allSatisfy {
      start.load(fromByteOffset: $0, as: UInt8.self) | 0x20 == bytes[$0]
    }
  }

  /// Returns eight bytes as a little-endian number, with ASCII letters in lower case.
  @inline(__always)
  private static func word(_ start: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) | 0x2020_2020_2020_2020
  }
}
