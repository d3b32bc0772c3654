/// A map from 64-bit keys to 32-bit numbers: a `KeySet` and the numbers by its slots.
///
/// ```swift
/// var ages = KeyTable()
/// ages.set(KeyTable.key(3, 5), 7)
/// ages[KeyTable.key(3, 5)]  // 7
/// ```
/// - Complexity: O(1) for each access, two cache misses as a rule; 12 bytes a slot, at most three
///   quarters of the slots used.
package struct KeyTable: Sendable, Equatable {
  private var keySet = KeySet()
  /// By slot.
  private var values = Slab<UInt32>(blank: 0, count: 16)

  /// What `prefetch` has read. Nobody uses it; without it the read would be optimised away.
  private var touched: UInt32 = 0

  package init() {}

  package var count: Int { keySet.count }

  package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { KeySet.key(a, b) }

  /// Reads where a key would be, so that it is in the cache when it is asked for.
  @inline(__always)
  package mutating func prefetch(_ key: UInt64) {
    keySet.prefetch(key)
    touched ^= values[keySet.home(key)]
  }

  package subscript(key: UInt64) -> UInt32? { keySet.find(key).map { values[$0] } }

  /// Sets the number of a key, whether the key is there or not.
  package mutating func set(_ key: UInt64, _ value: UInt32) {
    if let at = keySet.find(key) { values[at] = value } else { _ = insert(key, value) }
  }

  /// Adds the key; false, and nothing is changed, if it is there already.
  package mutating func insert(_ key: UInt64, _ value: UInt32) -> Bool {
    if keySet.isFull {
      if keySet.contains(key) { return false }
      grow()
    }
    guard let at = keySet.place(key) else { return false }
    values[at] = value
    return true
  }

  /// The number of a key, which for one that is not there becomes the count of keys so far.
  package mutating func intern(_ key: UInt64) -> UInt32 {
    if let at = keySet.find(key) { return values[at] }
    let number = UInt32(count)
    _ = insert(key, number)
    return number
  }

  /// Removes the key; false if it is not there.
  package mutating func remove(_ key: UInt64) -> Bool {
    keySet.remove(key) { from, to in values[to] = values[from] }
  }

  /// Removes the key and returns its number; nil if it is not there.
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

  /// Calls `body` with each key and its number, in no order that means anything.
  package func forEachKey(_ body: (_ key: UInt64, _ value: UInt32) -> Void) {
    keySet.forEachKey { key, slot in body(key, values[slot]) }
  }

  /// Calls `body` with each pair and its number, in no order that means anything.
  package func forEachPair(_ body: (_ a: UInt32, _ b: UInt32, _ value: UInt32) -> Void) {
    forEachKey { key, value in body(UInt32(key >> 32), UInt32(truncatingIfNeeded: key), value) }
  }

  package mutating func code(with coder: inout StateCoder) {
    keySet.code(with: &coder)
    coder(&values)
    if values.count != keySet.keys.count { coder.fail() }
  }

  /// Equal when they hold the same keys and numbers, wherever these lie.
  package static func == (a: KeyTable, b: KeyTable) -> Bool {
    guard a.count == b.count else { return false }
    var same = true
    a.forEachKey { key, value in same = same && b[key] == value }
    return same
  }
}
