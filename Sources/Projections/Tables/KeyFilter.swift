import Events

/// A set of 64-bit keys that may wrongly claim to contain a key (a Bloom filter).
///
/// It spares most searches for a key that is not in a table. Keys are never removed.
/// - Complexity: O(1), one cache miss. Memory: 16 to 32 bits for each key. The filter wrongly
///   claims to contain about one key in a hundred.
struct KeyFilter: Sendable {
  private var words: Slab<UInt64>
  private var count: UInt32 = 0
  /// A combination of the values that `prefetch` has read. Without it, the optimiser would remove
  /// these reads.
  private var touched: UInt64 = 0

  /// Creates an empty filter.
  /// - Parameter wordCount: A power of two.
  init(wordCount: Int = 16) { words = Slab(blank: 0, count: wordCount) }

  /// Returns an empty filter for twice as many keys.
  func doubled() -> KeyFilter { KeyFilter(wordCount: words.count * 2) }

  /// Whether more keys would make wrong answers frequent.
  var isFull: Bool { Int(count) >= words.count * 4 }

  /// Returns the index of the key's word, and the key's two bits in it.
  @inline(__always)
  private func place(_ key: UInt64) -> (word: Int, bits: UInt64) {
    // The multiplier is 2^64 divided by the golden ratio. The shift lets high bits affect low ones.
    var hash = key &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
    let bits: UInt64 = 1 << (hash & 63) | 1 << (hash >> 6 & 63)
    return (Int(truncatingIfNeeded: hash >> 32) & (words.count - 1), bits)
  }

  func mayContain(_ key: UInt64) -> Bool {
    let (word, bits) = place(key)
    return words[word] & bits == bits
  }

  mutating func insert(_ key: UInt64) {
    let (word, bits) = place(key)
    words[word] |= bits
    count &+= 1
  }

  /// Reads a key's word, so that it is in the CPU cache when the key is looked up.
  @inline(__always)
  mutating func prefetch(_ key: UInt64) { touched ^= words[place(key).word] }

  mutating func code(with coder: inout StateCoder) {
    coder(&words)
    coder(&count)
    if words.count < 16 || words.count & (words.count - 1) != 0 { coder.fail() }
  }
}
