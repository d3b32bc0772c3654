/// A compressor that writes gzip files (RFC 1952, RFC 1951).
///
/// ```swift
/// var gzip = Gzip()
/// gzip.add(bytes)
/// let file = gzip.finish()
/// ```
/// It exists because the toolchain has no compressor on Linux, and a web page needs its log small.
/// The compressor hashes three bytes at a time to find matches of 3 to 258 bytes. Each block has
/// its own Huffman codes.
/// - Complexity: O(bytes), about 30 MB a second; a log shrinks to about an eighth. Memory: the
///   result and some megabytes.
struct Gzip {
  private static let window = 32_768
  private static let blockSize = 1 << 18
  /// The number of earlier places in the input at which a match is tried.
  private static let tries = 24

  private var out: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]
  private var pending: UInt64 = 0
  private var pendingBits: UInt64 = 0
  /// The last bytes that were compressed (one window), then the bytes that are not compressed yet.
  private var input: [UInt8] = []
  private var start = 0
  private var crc: UInt32 = 0xffff_ffff
  private var count: UInt32 = 0

  mutating func add(_ bytes: some Sequence<UInt8>) {
    let old = input.count
    input.append(contentsOf: bytes)
    for byte in input[old...] {
      crc = Self.crcs[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
    count &+= UInt32(truncatingIfNeeded: input.count - old)
    while input.count - start >= Self.blockSize {
      block(until: start + Self.blockSize, isLast: false)
    }
  }

  /// Returns the whole gzip file. Nothing may be added after this call.
  mutating func finish() -> [UInt8] {
    block(until: input.count, isLast: true)
    while pendingBits > 0 { flushByte() }
    for value in [~crc, count] {
      for shift in [0, 8, 16, 24] { out.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }
    return out
  }

  private static let crcs: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
  }

  private mutating func flushByte() {
    out.append(UInt8(truncatingIfNeeded: pending))
    pending >>= 8
    pendingBits = pendingBits > 8 ? pendingBits - 8 : 0
  }

  @inline(__always)
  private mutating func put(_ value: UInt32, _ bits: UInt8) {
    pending |= UInt64(value) << pendingBits
    pendingBits += UInt64(bits)
    while pendingBits >= 8 { flushByte() }
  }

  /// A symbol of a block: a literal byte, or `distance << 16 | length` for a match.
  private typealias Symbol = UInt32

  private mutating func block(until end: Int, isLast: Bool) {
    let symbols = matches(until: end)
    var literals = [UInt32](repeating: 0, count: 286)
    var distances = [UInt32](repeating: 0, count: 30)
    literals[256] = 1
    for symbol in symbols {
      guard symbol >> 16 > 0 else {
        literals[Int(symbol)] += 1
        continue
      }
      literals[Self.lengthCode(symbol & 0xffff).code] += 1
      distances[Self.distanceCode(symbol >> 16).code] += 1
    }
    // The gzip format requires at least one distance code.
    if distances.allSatisfy({ $0 == 0 }) { distances[0] = 1 }
    let (literal, distance) = (HuffmanCode(literals, 15), HuffmanCode(distances, 15))
    put(isLast ? 1 : 0, 1)
    put(2, 2)
    putCodes(literal, distance)
    for symbol in symbols {
      guard symbol >> 16 > 0 else {
        put(literal.codes[Int(symbol)], literal.lengths[Int(symbol)])
        continue
      }
      let length = Self.lengthCode(symbol & 0xffff)
      put(literal.codes[length.code], literal.lengths[length.code])
      put(length.extra, length.bits)
      let far = Self.distanceCode(symbol >> 16)
      put(distance.codes[far.code], distance.lengths[far.code])
      put(far.extra, far.bits)
    }
    put(literal.codes[256], literal.lengths[256])
    let keep = max(0, end - Self.window)
    input.removeFirst(keep)
    start = end - keep
  }

  /// Writes the lengths of a block's two codes, encoded with a third code.
  private mutating func putCodes(_ literal: HuffmanCode, _ distance: HuffmanCode) {
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    let lengths = literal.lengths + distance.lengths
    var counts = [UInt32](repeating: 0, count: 19)
    for length in lengths { counts[Int(length)] += 1 }
    let code = HuffmanCode(counts, 7)
    put(UInt32(literal.lengths.count - 257), 5)
    put(UInt32(distance.lengths.count - 1), 5)
    put(UInt32(order.count - 4), 4)
    for symbol in order { put(UInt32(code.lengths[symbol]), 3) }
    for length in lengths { put(code.codes[Int(length)], code.lengths[Int(length)]) }
  }

  private func matches(until end: Int) -> [Symbol] {
    var symbols: [Symbol] = []
    symbols.reserveCapacity((end - start) / 4)
    var heads = [Int32](repeating: -1, count: 1 << 15)
    var before = [Int32](repeating: -1, count: end)
    input.withUnsafeBufferPointer { input in
      func hash(_ at: Int) -> Int {
        let value = UInt32(input[at]) | UInt32(input[at + 1]) << 8 | UInt32(input[at + 2]) << 16
        return Int((value &* 0x9e37_79b1) >> 17)
      }
      func note(_ at: Int) {
        guard at + 2 < end else { return }
        let slot = hash(at)
        before[at] = heads[slot]
        heads[slot] = Int32(at)
      }
      for at in 0..<start { note(at) }
      var at = start
      while at < end {
        var (best, distance) = (2, 0)
        if at + 2 < end {
          var place = heads[hash(at)]
          var left = Self.tries
          let most = min(258, end - at)
          while place >= 0, at - Int(place) <= Self.window - 1, left > 0 {
            let other = Int(place)
            if best >= most { break }
            if input[other + best] == input[at + best] {
              var length = 0
              while length < most, input[other + length] == input[at + length] { length += 1 }
              if length > best { (best, distance) = (length, at - other) }
            }
            place = before[other]
            left -= 1
          }
        }
        if distance > 0 {
          symbols.append(UInt32(distance) << 16 | UInt32(best))
          for next in at..<at + best { note(next) }
          at += best
        } else {
          symbols.append(UInt32(input[at]))
          note(at)
          at += 1
        }
      }
    }
    return symbols
  }

  /// Returns the code of a match's length, 3 to 258, and the extra bits (RFC 1951, 3.2.5).
  @inline(__always)
  private static func lengthCode(_ length: UInt32) -> (code: Int, extra: UInt32, bits: UInt8) {
    if length == 258 { return (285, 0, 0) }
    let value = length - 3
    if value < 8 { return (257 + Int(value), 0, 0) }
    let bits = UInt32(29 - value.leadingZeroBitCount)
    return (
      Int(257 + 4 * bits + value >> bits), value & (1 << bits - 1), UInt8(bits)
    )
  }

  /// Returns the code for a match's distance, from 1 to 32,768, and the extra bits after the code.
  @inline(__always)
  private static func distanceCode(_ distance: UInt32) -> (code: Int, extra: UInt32, bits: UInt8) {
    let value = distance - 1
    if value < 4 { return (Int(value), 0, 0) }
    let bits = UInt32(30 - value.leadingZeroBitCount)
    return (Int(2 * bits + value >> bits), value & (1 << bits - 1), UInt8(bits))
  }
}

/// A prefix code in which more frequent symbols have shorter codes.
private struct HuffmanCode {
  /// The length of each symbol's code in bits; 0 for symbols that do not occur.
  private(set) var lengths: [UInt8]
  /// The code of each symbol, with its bits in the order in which they are written.
  private(set) var codes: [UInt32]

  init(_ counts: [UInt32], _ longest: UInt8) {
    lengths = Self.lengths(counts)
    var counts = counts
    // Halves the counts until no code is longer than allowed.
    while lengths.contains(where: { $0 > longest }) {
      counts = counts.map { $0 == 0 ? 0 : $0 / 2 + 1 }
      lengths = Self.lengths(counts)
    }
    codes = Array(repeating: 0, count: lengths.count)
    var next: UInt32 = 0
    for length in 1...longest {
      next <<= 1
      for symbol in lengths.indices where lengths[symbol] == length {
        codes[symbol] = Self.reversed(next, length)
        next += 1
      }
    }
  }

  private static func reversed(_ code: UInt32, _ length: UInt8) -> UInt32 {
    (0..<UInt32(length)).reduce(0) { $0 << 1 | code >> $1 & 1 }
  }

  private static func lengths(_ counts: [UInt32]) -> [UInt8] {
    var lengths = [UInt8](repeating: 0, count: counts.count)
    let used = counts.indices.filter { counts[$0] > 0 }.sorted { counts[$0] < counts[$1] }
    if used.count < 2 {
      for symbol in used { lengths[symbol] = 1 }
      return lengths
    }
    // The weights of the leaves, ascending, then of the inner nodes in the order of creation.
    var weights = used.map { UInt64(counts[$0]) }
    var parents = [Int](repeating: 0, count: used.count * 2 - 1)
    var (leaf, inner) = (0, used.count)
    for node in used.count..<parents.count {
      var weight: UInt64 = 0
      for _ in 0..<2 {
        let takesLeaf =
          leaf < used.count && (inner >= weights.count || weights[leaf] <= weights[inner])
        let child = takesLeaf ? leaf : inner
        if takesLeaf { leaf += 1 } else { inner += 1 }
        weight += weights[child]
        parents[child] = node
      }
      weights.append(weight)
    }
    var depths = [UInt8](repeating: 0, count: parents.count)
    for node in (0..<parents.count - 1).reversed() { depths[node] = depths[parents[node]] + 1 }
    for (number, symbol) in used.enumerated() { lengths[symbol] = depths[number] }
    return lengths
  }
}
