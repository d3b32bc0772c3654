/// A map from 64-bit keys to 32-bit numbers: a `KeySet`, and a number for each of its slots.
///
/// ```swift
/// var ages = KeyTable()
/// ages.set(KeyTable.key(3, 5), 7)
/// ages[KeyTable.key(3, 5)]  // 7
/// ```
/// - Complexity: O(1) for each access, normally two cache misses. Memory is 12 bytes a slot; at
///   most three quarters of the slots are used.
package struct KeyTable: Sendable, Equatable {
  private var keySet = KeySet()
  /// The number in each slot.
  private var values = Slab<UInt32>(blank: 0, count: 16)

  /// The bytes that `prefetch` read; without this the optimiser would remove the read.
  private var touched: UInt32 = 0

  package init() {}

  package var count: Int { keySet.count }

  package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { KeySet.key(a, b) }

  /// Reads a key's slot, so that it is in the cache when the key is looked up.
  @inline(__always)
  package mutating func prefetch(_ key: UInt64) {
    keySet.prefetch(key)
    touched ^= values[keySet.home(key)]
  }

  package subscript(key: UInt64) -> UInt32? { keySet.find(key).map { values[$0] } }

  /// Sets the number of a key; adds the key if necessary.
  package mutating func set(_ key: UInt64, _ value: UInt32) {
    if let at = keySet.find(key) { values[at] = value } else { _ = insert(key, value) }
  }

  /// Adds a key; returns false and changes nothing if it is in the table already.
  package mutating func insert(_ key: UInt64, _ value: UInt32) -> Bool {
    if keySet.isFull {
      if keySet.contains(key) { return false }
      grow()
    }
    guard let at = keySet.place(key) else { return false }
    values[at] = value
    return true
  }

  /// Returns the number of a key; a new key gets the number of keys so far.
  package mutating func intern(_ key: UInt64) -> UInt32 {
    if let at = keySet.find(key) { return values[at] }
    let number = UInt32(count)
    _ = insert(key, number)
    return number
  }

  /// Removes a key; returns false if it is not in the table.
  package mutating func remove(_ key: UInt64) -> Bool {
    keySet.remove(key) { from, to in values[to] = values[from] }
  }

  /// Removes a key and returns its number; nil if it is not in the table.
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

  /// Calls `body` with each pair and its number, in an arbitrary order.
  package func forEachPair(_ body: (_ a: UInt32, _ b: UInt32, _ value: UInt32) -> Void) {
    forEachKey { key, value in body(UInt32(key >> 32), UInt32(truncatingIfNeeded: key), value) }
  }

  package mutating func code(with coder: inout StateCoder) {
    keySet.code(with: &coder)
    coder(&values)
    if values.count != keySet.keys.count { coder.fail() }
  }

  /// Whether both tables have the same keys and numbers, in any slots.
  package static func == (a: KeyTable, b: KeyTable) -> Bool {
    guard a.count == b.count else { return false }
    var same = true
    a.forEachKey { key, value in same = same && b[key] == value }
    return same
  }
}
