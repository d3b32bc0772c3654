import Events

/// A map from pairs of dense ids to a number.
///
/// What edges keep their ages in, and what the audit knows of pairs.
/// - Complexity: O(1) for each access, two cache misses as a rule; 12 bytes a slot, at most three
///   quarters of the slots used.
package struct PairTable: Sendable, Equatable {
  private var pairs = PairSet()
  /// By slot.
  private var values = Slab<UInt32>(blank: 0, count: 16)

  package init() {}

  package var count: Int { pairs.count }

  package static func key(_ a: UInt32, _ b: UInt32) -> UInt64 { PairSet.key(a, b) }

  /// Looks at where a key would be, so that it is in the cache when it is asked for.
  @inline(__always)
  package mutating func expect(_ key: UInt64) { pairs.expect(key) }

  package subscript(key: UInt64) -> UInt32? { pairs.find(key).map { values[$0] } }

  /// Sets the number of a pair, whether it is there or not.
  package mutating func set(_ key: UInt64, _ value: UInt32) {
    if let at = pairs.find(key) { values[at] = value } else { _ = insert(key, value) }
  }

  /// Adds the pair; false, and nothing is changed, if it is there already.
  package mutating func insert(_ key: UInt64, _ value: UInt32) -> Bool {
    if pairs.isFull {
      if pairs.contains(key) { return false }
      grow()
    }
    guard let at = pairs.place(key) else { return false }
    values[at] = value
    return true
  }

  /// Removes the pair; false if it is not there.
  package mutating func remove(_ key: UInt64) -> Bool {
    pairs.remove(key) { from, to in values[to] = values[from] }
  }

  /// Removes the pair and returns its number; nil if it is not there.
  package mutating func take(_ key: UInt64) -> UInt32? {
    guard let value = self[key] else { return nil }
    _ = remove(key)
    return value
  }

  private mutating func grow() {
    let old = values
    var new = Slab<UInt32>(blank: 0, count: old.count * 2)
    pairs.grow { from, to in new[to] = old[from] }
    values = new
  }

  /// Calls `body` with each pair and its number, in no order that means anything.
  package func visit(_ body: (_ a: UInt32, _ b: UInt32, _ value: UInt32) -> Void) {
    pairs.visit { a, b, slot in body(a, b, values[slot]) }
  }

  package mutating func visit(_ state: inout StateCoder) {
    pairs.visit(&state)
    state(&values)
    if values.count != pairs.keys.count { state.fail() }
  }

  /// Equal when they hold the same pairs and numbers, wherever these lie.
  package static func == (a: PairTable, b: PairTable) -> Bool {
    guard a.count == b.count else { return false }
    var same = true
    a.visit { x, y, value in same = same && b[key(x, y)] == value }
    return same
  }
}
