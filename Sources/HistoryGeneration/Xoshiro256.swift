import Events

/// The generator's own random numbers (xoshiro256**, seeded through SplitMix64): integers only, and
/// the same on every machine.
struct Xoshiro256 {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    state = (random.next(), random.next(), random.next(), random.next())
  }

  /// The next 64 random bits.
  @inline(__always)
  mutating func bits() -> UInt64 {
    let product = state.1 &* 5
    let result = (product << 7 | product >> 57) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = state.3 << 45 | state.3 >> 19
    return result
  }

  /// A uniform number in 0..<count; 0 if `count` is less than 2.
  @inline(__always)
  mutating func below(_ count: Int) -> Int {
    Int(truncatingIfNeeded: UInt64(max(count, 1)).multipliedFullWidth(by: bits()).high)
  }

  /// True with a probability of 1 in `count`.
  @inline(__always)
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// A number in 0..<count, with low ones likelier, about as (rank + 1)^-¾.
  ///
  /// It halves the range `level` times; each level is half as likely as the fourth before it.
  @inline(__always)
  mutating func skewed(_ count: Int) -> Int {
    let bits = bits()
    let level = 4 * bits.trailingZeroBitCount + Int(bits >> 62)
    let narrowed = level < Int.bitWidth ? count >> level : 0
    return below(narrowed > 0 ? narrowed : count)
  }

  /// One of the items, of which there must be at least one.
  @inline(__always)
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
}

/// A hash of a text that is never 0 (FNV-1a).
func fingerprint(_ text: String) -> UInt32 {
  var hash: UInt32 = 0x811c_9dc5
  for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
  return hash | 1
}
