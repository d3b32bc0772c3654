import Events

/// A search for names in bytes, ignoring case. A short name is found only if no letter or digit is
/// beside it, because `u7` is in many lines that have `u74`.
///
/// An erasure searches every byte of a log twice. The search finds names of four bytes or more with
/// a bit table of 4-byte sequences. It looks up the sequences at as few offsets as the shortest
/// name allows, which takes 0.2 to 0.5 ns for each byte. For shorter names, it compares the first
/// two bytes at eight offsets at once. That takes 0.1 ns for each byte and name (Swift's vectors
/// took 40 times as long). Decoding takes 5 ns for each byte.
///
/// It also finds the characters `\u`, because such an escape can spell a part of a name.
struct NameSearch: Sendable {
  /// The first two bytes of a short name in lower case, each repeated eight times.
  private struct Pair: Hashable {
    var first: UInt64
    var second: UInt64
    /// The bits of the second byte that must match: all of them, or none if the name has one byte.
    var mask: UInt64

    init(_ name: [UInt8]) {
      let ones: UInt64 = 0x0101_0101_0101_0101
      first = UInt64(name[0]) &* ones
      second = name.count > 1 ? UInt64(name[1]) &* ones : 0
      mask = name.count > 1 ? .max : 0
    }
  }

  /// The filter has 2 to the power of this many bits: one for each hash of four bytes.
  private static let bits = 17
  private static let gram = 4
  private static let escape: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "u")]

  private var filter = [UInt64](repeating: 0, count: 1 << (bits - 6))
  private var entries: [UInt32: [(name: Int, offset: Int)]] = [:]
  private var stride = 8
  private let long: [[UInt8]]
  private let short: [[UInt8]]
  private let pairs: [Pair]

  init(_ names: [String]) {
    let all = Set(names).filter { !$0.isEmpty }.map { $0.utf8.map(Self.folded) }
    long = all.filter { $0.count >= Self.gram }
    short = all.filter { $0.count < Self.gram }
    let escape = Self.escape.map(Self.folded)
    pairs = Array(Set((short + [escape]).map(Pair.init)))
    stride = min(8, (long.map(\.count).min() ?? 0) - Self.gram + 1)
    for (number, name) in long.enumerated() {
      for offset in 0..<stride {
        var key: UInt32 = 0
        for index in 0..<Self.gram { key |= UInt32(name[offset + index]) << UInt32(8 * index) }
        entries[key, default: []].append((number, offset))
        let slot = Self.slot(key)
        filter[slot >> 6] |= 1 << UInt64(slot & 63)
      }
    }
  }

  /// Maps letters to lower case. Changes other bytes too, but in the same way in names and lines.
  @inline(__always)
  private static func folded(_ byte: UInt8) -> UInt8 { byte | 0x20 }

  @inline(__always)
  private static func slot(_ key: UInt32) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9e37_79b1) >> UInt32(32 - bits))
  }

  /// Calls `body` with the offsets of long names, ascending, then with those of short names.
  /// - Parameters:
  ///   - bytes: must be followed by at least nine readable bytes.
  ///   - body: receives an offset, and returns the offset at which the search continues.
  func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Int) {
    guard let base = bytes.baseAddress else { return }
    if !long.isEmpty { forEachLong(UnsafeRawPointer(base), bytes, body) }
    forEachShort(UnsafeRawPointer(base), bytes, body)
  }

  private func forEachLong(
    _ raw: UnsafeRawPointer, _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Int
  ) {
    filter.withUnsafeBufferPointer { filter in
      var at = 0
      while at < bytes.count {
        let key =
          UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt32.self))
          | 0x2020_2020
        let slot = Self.slot(key)
        if filter[slot >> 6] >> UInt64(slot & 63) & 1 == 1, isLong(key, at, bytes) {
          at = max(body(at), at + 1)
        } else {
          at += stride
        }
      }
    }
  }

  private func isLong(_ key: UInt32, _ at: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let entries = entries[key] else { return false }
    return entries.contains { isThere(long[$0.name], at - $0.offset, bytes) }
  }

  private func forEachShort(
    _ raw: UnsafeRawPointer, _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Int
  ) {
    let (fold, ones): (UInt64, UInt64) = (0x2020_2020_2020_2020, 0x0101_0101_0101_0101)
    pairs.withUnsafeBufferPointer { pairs in
      var at = 0
      while at < bytes.count {
        let first = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self) | fold
        let second = raw.loadUnaligned(fromByteOffset: at + 1, as: UInt64.self) | fold
        var found: UInt64 = 0
        for pair in pairs {
          // A byte is 0 at each offset where both bytes of the name match.
          let other = (first ^ pair.first) | (second ^ pair.second) & pair.mask
          found |= (other &- ones) & ~other
        }
        var next = at + 8
        if found & (ones << 7) != 0 {
          for place in at..<min(next, bytes.count) where isShort(place, bytes) {
            next = max(body(place), place + 1)
            break
          }
        }
        at = next
      }
    }
  }

  private func isShort(_ at: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes[at] == Self.escape[0], at + 1 < bytes.count, bytes[at + 1] == Self.escape[1] {
      return true
    }
    return short.contains { isThere($0, at, bytes) }
  }

  /// Whether a letter or digit is before an offset. The `n` of an escaped line feed (`\n`) does not
  /// count.
  private func goesOn(_ at: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard at > 0, isLetterOrDigit(bytes[at - 1]) else { return false }
    return at < 2 || bytes[at - 2] != Self.escape[0]
  }

  private func isThere(_ name: [UInt8], _ at: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard at >= 0, at + name.count <= bytes.count, Self.folded(bytes[at]) == name[0] else {
      return false
    }
    let end = at + name.count
    if name.count < EventEraser.longName,
      end < bytes.count && isLetterOrDigit(bytes[end]) || goesOn(at, bytes)
    {
      return false
    }
    return name.indices.allSatisfy { Self.folded(bytes[at + $0]) == name[$0] }
  }
}
