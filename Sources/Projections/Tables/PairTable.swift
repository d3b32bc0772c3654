/// A map from pairs of dense ids to a number: open addressing over two flat arrays.
///
/// The table of edges that followers are kept in, and what the audit knows of pairs.
/// - Complexity: O(1) for each access, one cache miss as a rule; 12 bytes a slot, at most three
///   quarters of the slots used.
package struct PairTable: Sendable, Equatable {
  /// A pair is two indices in one word; no pair is all ones, since an index is below 2³² − 1.
  private static let free = UInt64.max
  private var keys = [UInt64](repeating: free, count: 16)
  private var values = [UInt32](repeating: 0, count: 16)
  package private(set) var count = 0

  package init() {}

  package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { UInt64(a) << 32 | UInt64(b) }

  @inline(__always)
  private func home(_ key: UInt64) -> Int {
    let product = key.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    return Int(truncatingIfNeeded: product.high ^ product.low) & (keys.count - 1)
  }

  /// The slot that holds the key or is free for it.
  @inline(__always)
  private func slot(_ key: UInt64) -> Int {
    let mask = keys.count - 1
    var at = home(key)
    while keys[at] != key && keys[at] != Self.free { at = (at + 1) & mask }
    return at
  }

  package subscript(key: UInt64) -> UInt32? {
    let at = slot(key)
    return keys[at] == key ? values[at] : nil
  }

  /// Sets the number of a pair, whether it is there or not.
  package mutating func set(_ key: UInt64, _ value: UInt32) {
    let at = slot(key)
    if keys[at] == key { values[at] = value } else { _ = insert(key, value) }
  }

  /// Adds the pair; false, and nothing is changed, if it is there already.
  package mutating func insert(_ key: UInt64, _ value: UInt32) -> Bool {
    var at = slot(key)
    if keys[at] == key { return false }
    if (count + 1) * 4 > keys.count * 3 {
      grow()
      at = slot(key)
    }
    keys[at] = key
    values[at] = value
    count += 1
    return true
  }

  /// Removes the pair; false if it is not there. Later entries of the run move up, so that no
  /// tombstones remain.
  package mutating func remove(_ key: UInt64) -> Bool {
    var hole = slot(key)
    guard keys[hole] == key else { return false }
    let mask = keys.count - 1
    var at = (hole + 1) & mask
    while keys[at] != Self.free {
      let home = home(keys[at])
      if (at &- home) & mask >= (at &- hole) & mask {
        keys[hole] = keys[at]
        values[hole] = values[at]
        hole = at
      }
      at = (at + 1) & mask
    }
    keys[hole] = Self.free
    count -= 1
    return true
  }

  private mutating func grow() {
    let old = (keys, values)
    keys = [UInt64](repeating: Self.free, count: old.0.count * 2)
    values = [UInt32](repeating: 0, count: keys.count)
    for (index, key) in old.0.enumerated() where key != Self.free {
      let at = slot(key)
      keys[at] = key
      values[at] = old.1[index]
    }
  }

  /// Calls `body` with each pair and its number, in no order that means anything.
  package func visit(_ body: (_ a: UInt32, _ b: UInt32, _ value: UInt32) -> Void) {
    for (index, key) in keys.enumerated() where key != Self.free {
      body(UInt32(truncatingIfNeeded: key >> 32), UInt32(truncatingIfNeeded: key), values[index])
    }
  }

  /// Removes the pairs for which `body` is true.
  package mutating func removeAll(where body: (_ a: UInt32, _ b: UInt32) -> Bool) {
    var doomed: [UInt64] = []
    visit { a, b, _ in
      if body(a, b) { doomed.append(Self.key(a, b)) }
    }
    for key in doomed { _ = remove(key) }
  }

  /// Equal when they hold the same pairs and numbers, wherever these lie.
  package static func == (a: PairTable, b: PairTable) -> Bool {
    guard a.count == b.count else { return false }
    var same = true
    a.visit { x, y, value in same = same && b[key(x, y)] == value }
    return same
  }
}
