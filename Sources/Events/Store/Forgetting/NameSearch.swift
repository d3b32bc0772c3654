/// Looks for any of some names in lines, without regard to the case of letters; for short names
/// between other signs than letters and digits, since `u7` is in many a line that has `u74`.
///
/// A forgetting reads every line of a log for its people's names. Grams of each name (two bytes, or
/// four if all names have as many) are looked up in a table of bits, at as few places of a line as
/// the shortest name allows: 0.2 to 0.8 ns a byte, against 5 and more for decoding.
struct NameSearch: Sendable {
  private struct Entry {
    var name: Int
    var offset: Int
  }

  private static let bits = 17
  private var filter = [UInt64](repeating: 0, count: 1 << (bits - 6))
  private var entries: [UInt32: [Entry]] = [:]
  private let names: [[UInt8]]
  private let gram: Int
  private let stride: Int

  init(_ names: [String]) {
    self.names = Set(names).filter { !$0.isEmpty }.map { $0.utf8.map(Self.folded) }
    let shortest = self.names.map(\.count).min() ?? 4
    gram = shortest >= 4 ? 4 : 2
    stride = max(1, min(8, shortest - gram + 1))
    for (number, name) in self.names.enumerated() {
      for offset in 0..<stride {
        // After a name of one byte anything may come.
        let ends = name.count == 1 ? Set((UInt8.min...UInt8.max).map(Self.folded)) : [0]
        for end in ends {
          let bytes = name.count == 1 ? [name[0], end] : Array(name[offset..<offset + gram])
          var key: UInt32 = 0
          for (index, byte) in bytes.enumerated() { key |= UInt32(byte) << UInt32(8 * index) }
          entries[key, default: []].append(Entry(name: number, offset: offset))
          let slot = Self.slot(key)
          filter[slot >> 6] |= 1 << UInt64(slot & 63)
        }
      }
    }
  }

  /// Letters in lower case; other bytes become others, the same ones in names and lines.
  @inline(__always)
  private static func folded(_ byte: UInt8) -> UInt8 { byte | 0x20 }

  @inline(__always)
  private static func slot(_ key: UInt32) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9e37_79b1) >> UInt32(32 - bits))
  }

  /// Whether a line has any of the names in it.
  /// - Parameter line: followed by at least four bytes that may be read.
  func isFound(in line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = line.baseAddress, !names.isEmpty else { return false }
    let raw = UnsafeRawPointer(base)
    return filter.withUnsafeBufferPointer { filter in
      var at = 0
      while at < line.count {
        let key =
          gram == 4
          ? UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt32.self))
            | 0x2020_2020
          : UInt32(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt16.self)))
            | 0x2020
        let slot = Self.slot(key)
        if filter[slot >> 6] >> UInt64(slot & 63) & 1 == 1, confirms(key, at, line) { return true }
        at += stride
      }
      return false
    }
  }

  private func confirms(_ key: UInt32, _ at: Int, _ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let entries = entries[key] else { return false }
    return entries.contains { entry in
      let (name, start) = (names[entry.name], at - entry.offset)
      guard start >= 0, start + name.count <= line.count else { return false }
      let end = start + name.count
      if name.count < Rewriter.longName,
        start > 0 && isLetterOrDigit(line[start - 1])
          || end < line.count && isLetterOrDigit(line[end])
      {
        return false
      }
      return name.indices.allSatisfy { Self.folded(line[start + $0]) == name[$0] }
    }
  }
}
