import Events

/// A set of pairs of dense ids: open addressing over one flat array.
///
/// The edges that followers are counted by, and the keys of a `PairTable`.
/// - Complexity: O(1) for each access, one cache miss as a rule; 8 bytes a slot, at most three
///   quarters of the slots used.
package struct PairSet: Sendable {
  /// A pair is two indices in one word; no pair is all ones, since an index is below 2³² − 1.
  static let free = UInt64.max
  private(set) var keys = Slab(blank: free, count: 16)
  package private(set) var count = 0
  /// What `expect` saw, of no meaning; kept so that looking is not optimised away.
  private var seen: UInt64 = 0

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
    while true {
      let found = keys[at]
      if found == key || found == Self.free { return at }
      at = (at + 1) & mask
    }
  }

  /// Looks at where a key would be, so that it is in the cache when it is asked for.
  @inline(__always)
  package mutating func expect(_ key: UInt64) { seen ^= keys[home(key)] }

  package func contains(_ key: UInt64) -> Bool { find(key) != nil }

  /// The slot of a pair that is there.
  @inline(__always)
  func find(_ key: UInt64) -> Int? {
    let at = slot(key)
    return keys[at] == key ? at : nil
  }

  /// Adds a pair; nil, and nothing is changed, if it is there already. There must be room.
  @inline(__always)
  mutating func place(_ key: UInt64) -> Int? {
    let at = slot(key)
    if keys[at] == key { return nil }
    keys[at] = key
    count += 1
    return at
  }

  /// Whether another pair would fill more than three quarters of the slots.
  var isFull: Bool { (count + 1) * 4 > keys.count * 3 }

  /// Adds a pair; false, and nothing is changed, if it is there already.
  @discardableResult
  package mutating func insert(_ key: UInt64) -> Bool {
    if isFull {
      if contains(key) { return false }
      grow { _, _ in }
    }
    return place(key) != nil
  }

  /// Removes a pair; nil if it is not there. Later entries of the run move up, so that no
  /// tombstones remain.
  /// - Parameter move: told which slot's pair goes to which, in order.
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

  /// Doubles the slots.
  /// - Parameter move: told which slot's pair goes to which of the new ones.
  mutating func grow(move: (Int, Int) -> Void) {
    let old = keys
    keys = Slab(blank: Self.free, count: old.count * 2)
    for index in old.indices where old[index] != Self.free {
      let at = slot(old[index])
      keys[at] = old[index]
      move(index, at)
    }
  }

  /// Calls `body` with each pair and its slot, in no order that means anything.
  package func visit(_ body: (_ a: UInt32, _ b: UInt32, _ slot: Int) -> Void) {
    keys.withElements { keys in
      for (index, key) in keys.enumerated() where key != Self.free {
        body(UInt32(truncatingIfNeeded: key >> 32), UInt32(truncatingIfNeeded: key), index)
      }
    }
  }

  /// Removes the pairs for which `body` is true.
  package mutating func removeAll(where body: (_ a: UInt32, _ b: UInt32) -> Bool) {
    var doomed: [UInt64] = []
    visit { a, b, _ in
      if body(a, b) { doomed.append(Self.key(a, b)) }
    }
    for key in doomed { remove(key) }
  }

  package mutating func visit(_ state: inout StateCoder) {
    state(&keys)
    state(&count)
    if keys.count & (keys.count - 1) != 0 || !(0..<keys.count).contains(count) { state.fail() }
  }
}
