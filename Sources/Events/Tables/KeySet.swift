/// A hash set of 64-bit keys, in one array with open addressing and linear probing.
///
/// - Complexity: O(1) for each access, normally one cache miss. Memory is 8 bytes for each slot,
///   and at most three quarters of the slots are used.
package struct KeySet: Sendable {
  /// The value that marks a free slot. No pair of dense ids has this key, because ids are below 2³²
  /// − 1.
  @usableFromInline package static var free: UInt64 { .max }
  /// The key in each slot; the number of slots is a power of two.
  @usableFromInline package private(set) var keys = Slab(blank: free, count: 16)
  package private(set) var count = 0
  /// A combination of the values that `prefetch` has read. Without it, the optimiser would remove
  /// these reads.
  @usableFromInline var touched: UInt64 = 0

  package init() {}

  /// Returns the key that represents a pair of dense ids.
  @inlinable package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 {
    UInt64(a) << 32 | UInt64(b)
  }

  /// Returns the slot at which the search for a key begins.
  @inline(__always)
  @inlinable func home(_ key: UInt64) -> Int {
    let product = key.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    return Int(truncatingIfNeeded: product.high ^ product.low) & (keys.count - 1)
  }

  /// Returns the slot that contains the key, or the free slot where it belongs.
  @inline(__always)
  @inlinable func slot(_ key: UInt64) -> Int {
    let mask = keys.count - 1
    var at = home(key)
    while true {
      let found = keys[at]
      if found == key || found == Self.free { return at }
      at = (at + 1) & mask
    }
  }

  /// Reads a key's slot, so that the slot is in the CPU cache when the key is looked up.
  @inline(__always)
  @inlinable package mutating func prefetch(_ key: UInt64) { touched ^= keys[home(key)] }

  @inlinable package func contains(_ key: UInt64) -> Bool { find(key) != nil }

  /// Returns the slot of a key; nil if the set does not contain the key.
  @inline(__always)
  @inlinable package func find(_ key: UInt64) -> Int? {
    let at = slot(key)
    return keys[at] == key ? at : nil
  }

  /// Adds a key to a set that is not full and returns its slot; returns nil if the set already
  /// contains the key.
  @inline(__always)
  mutating func place(_ key: UInt64) -> Int? {
    let at = slot(key)
    if keys[at] == key { return nil }
    keys[at] = key
    count += 1
    return at
  }

  /// Whether adding another key would fill more than three quarters of the slots.
  var isFull: Bool { (count + 1) * 4 > keys.count * 3 }

  /// Adds a key; returns false and changes nothing if the set already contains it.
  @discardableResult
  package mutating func insert(_ key: UInt64) -> Bool {
    if isFull {
      if contains(key) { return false }
      grow { _, _ in }
    }
    return place(key) != nil
  }

  /// Removes a key; returns false if the set does not contain it. To fill the gap, keys from the
  /// following slots move to earlier slots.
  /// - Parameter move: Called for each key that moves, in order, with its old and its new slot.
  @discardableResult
  package mutating func remove(_ key: UInt64, move: (Int, Int) -> Void = { _, _ in }) -> Bool {
    guard var hole = find(key) else { return false }
    let mask = keys.count - 1
    var at = (hole + 1) & mask
    while keys[at] != Self.free {
      let home = home(keys[at])
      if (at &- home) & mask >= (at &- hole) & mask {
        keys[hole] = keys[at]
        move(at, hole)
        hole = at
      }
      at = (at + 1) & mask
    }
    keys[hole] = Self.free
    count -= 1
    return true
  }

  /// Doubles the number of slots.
  /// - Parameter move: Called for each key with its old and its new slot.
  mutating func grow(move: (Int, Int) -> Void) {
    let old = keys
    old.load()
    keys = Slab(blank: Self.free, count: old.count * 2)
    for index in old.indices where old[index] != Self.free {
      let at = slot(old[index])
      keys[at] = old[index]
      move(index, at)
    }
  }

  /// Calls `body` with each key and its slot, in an arbitrary order.
  package func forEachKey(_ body: (_ key: UInt64, _ slot: Int) -> Void) {
    keys.withElements { keys in
      for (slot, key) in keys.enumerated() where key != Self.free { body(key, slot) }
    }
  }

  /// Calls `body` with the pair of ids of each key, in an arbitrary order.
  package func forEachPair(_ body: (_ a: UInt32, _ b: UInt32) -> Void) {
    forEachKey { key, _ in body(UInt32(key >> 32), UInt32(truncatingIfNeeded: key)) }
  }

  /// Removes the keys of the pairs for which `body` returns true.
  package mutating func removeAll(where body: (_ a: UInt32, _ b: UInt32) -> Bool) {
    var doomed: [UInt64] = []
    forEachPair { a, b in
      if body(a, b) { doomed.append(Self.key(a, b)) }
    }
    for key in doomed { remove(key) }
  }

  package mutating func code(with coder: inout StateCoder) {
    coder(&keys)
    coder(&count)
    if keys.count & (keys.count - 1) != 0 || !(0..<keys.count).contains(count) { coder.fail() }
  }
}
