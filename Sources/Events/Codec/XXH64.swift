/// XXH64, the seeded 64-bit hash of the xxHash family. A log uses it for the checksum of each line
/// (specification: github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
///
/// ```swift
/// XXH64.hash([], seed: 0)  // 0xef46db3751d8e999
/// ```
/// - Complexity: O(bytes); about 10 GB a second on one core of 2025.
public enum XXH64 {
  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  /// Returns the XXH64 hash of the bytes with a seed.
  public static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { hash($0.baseAddress, $0.count, seed: seed) }
  }

  @inline(__always)
  package static func hash(_ base: UnsafeRawPointer?, _ count: Int, seed: UInt64) -> UInt64 {
    guard let base else { return avalanche(seed &+ prime5) }
    var at = base
    let end = base + count
    var h: UInt64
    if count >= 32 {
      var v1 = seed &+ prime1 &+ prime2
      var v2 = seed &+ prime2
      var v3 = seed
      var v4 = seed &- prime1
      let limit = end - 32
      repeat {
        v1 = round(v1, word(at, 0))
        v2 = round(v2, word(at, 8))
        v3 = round(v3, word(at, 16))
        v4 = round(v4, word(at, 24))
        at += 32
      } while at <= limit
      h = rotate(v1, 1) &+ rotate(v2, 7) &+ rotate(v3, 12) &+ rotate(v4, 18)
      h = merge(h, v1)
      h = merge(h, v2)
      h = merge(h, v3)
      h = merge(h, v4)
    } else {
      h = seed &+ prime5
    }
    h = h &+ UInt64(truncatingIfNeeded: count)
    while at + 8 <= end {
      h = rotate(h ^ round(0, word(at, 0)), 27) &* prime1 &+ prime4
      at += 8
    }
    if at + 4 <= end {
      let half = UInt32(littleEndian: at.loadUnaligned(as: UInt32.self))
      h = rotate(h ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      at += 4
    }
    while at < end {
      h = rotate(h ^ (UInt64(at.load(as: UInt8.self)) &* prime5), 11) &* prime1
      at += 1
    }
    return avalanche(h)
  }

  @inline(__always)
  private static func word(_ at: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: at.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 {
    value << by | value >> (64 - by)
  }

  @inline(__always)
  private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
    rotate(accumulator &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ h: UInt64, _ lane: UInt64) -> UInt64 {
    (h ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func avalanche(_ value: UInt64) -> UInt64 {
    var h = value
    h = (h ^ h >> 33) &* prime2
    h = (h ^ h >> 29) &* prime3
    return h ^ h >> 32
  }
}
