/// A map from 64-bit keys to 32-bit numbers. It consists of a `KeySet` and a number for each slot
/// of the set.
///
/// ```swift
/// var ages = KeyTable()
/// ages.set(KeyTable.key(3, 5), 7)
/// ages[KeyTable.key(3, 5)]  // 7
/// ```
/// - Complexity: O(1) for each access, normally two cache misses. Memory is 12 bytes for each slot,
///   and at most three quarters of the slots are used.
package struct KeyTable: Sendable, Equatable {
  private var keySet = KeySet()
  /// The number of the key in each slot.
  private var values = Slab<UInt32>(blank: 0, count: 16)

  /// A combination of the values that `prefetch` has read. Without it, the optimiser would remove
  /// these reads.
  private var touched: UInt32 = 0

  package init() {}

  package var count: Int { keySet.count }

  package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { KeySet.key(a, b) }

  /// Reads a key's slot, so that the slot is in the CPU cache when the key is looked up.
  @inline(__always)
  package mutating func prefetch(_ key: UInt64) {
    keySet.prefetch(key)
    touched ^= values[keySet.home(key)]
  }

  package subscript(key: UInt64) -> UInt32? { keySet.find(key).map { values[$0] } }

  /// Sets the number of a key; adds the key if the table does not contain it.
  package mutating func set(_ key: UInt64, _ value: UInt32) {
    if let at = keySet.find(key) { values[at] = value } else { _ = insert(key, value) }
  }

  /// Adds a key with its number; returns false and changes nothing if the table already contains
  /// the key.
  package mutating func insert(_ key: UInt64, _ value: UInt32) -> Bool {
    if keySet.isFull {
      if keySet.contains(key) { return false }
      grow()
    }
    guard let at = keySet.place(key) else { return false }
    values[at] = value
    return true
  }

  /// Returns the number of a key. A new key is added; its number is the number of keys before.
  package mutating func intern(_ key: UInt64) -> UInt32 {
    if let at = keySet.find(key) { return values[at] }
    let number = UInt32(count)
    _ = insert(key, number)
    return number
  }

  /// Removes a key; returns false if the table does not contain it.
  package mutating func remove(_ key: UInt64) -> Bool {
    keySet.remove(key) { from, to in values[to] = values[from] }
  }

  /// Removes a key and returns its number; returns nil if the table does not contain the key.
  package mutating func take(_ key: UInt64) -> UInt32? {
    guard let value = self[key] else { return nil }
    _ = remove(key)
    return value
  }

  private mutating func grow() {
    let old = values
    old.load()
    var new = Slab<UInt32>(blank: 0, count: old.count * 2)
    keySet.grow { from, to in new[to] = old[from] }
    values = new
  }

  /// Calls `body` with each key and its number, in an arbitrary order.
  package func forEachKey(_ body: (_ key: UInt64, _ value: UInt32) -> Void) {
    keySet.forEachKey { key, slot in body(key, values[slot]) }
  }

  /// Calls `body` with each key's pair of ids and its number, in an arbitrary order.
  package func forEachPair(_ body: (_ a: UInt32, _ b: UInt32, _ value: UInt32) -> Void) {
    forEachKey { key, value in body(UInt32(key >> 32), UInt32(truncatingIfNeeded: key), value) }
  }

  package mutating func code(with coder: inout StateCoder) {
    keySet.code(with: &coder)
    coder(&values)
    if values.count != keySet.keys.count { coder.fail() }
  }

  /// Whether both tables have the same keys with the same numbers. The slots do not matter.
  package static func == (a: KeyTable, b: KeyTable) -> Bool {
    guard a.count == b.count else { return false }
    var same = true
    a.forEachKey { key, value in same = same && b[key] == value }
    return same
  }
}
