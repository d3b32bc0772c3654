/// The states of pairs (who follows whom, who chupped what), in one open-addressing table.
///
/// A slot is 8 bytes: 31 bits for the first number, 30 for the second and 3 for the state. Pairs
/// are never removed; their state changes to one that means “no more”.
struct PairStates {
  /// The largest first number of a pair, plus one.
  static let firstLimit = 1 << 31
  /// The largest second number of a pair, plus one.
  static let secondLimit = 1 << 30
  /// The state of a pair that is not in the table.
  static let unknown: UInt8 = 0

  private var slots = [UInt64](repeating: 0, count: 16)
  private var count = 0

  @inline(__always)
  private static func key(_ first: Int, _ second: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: first) << 33 | UInt64(truncatingIfNeeded: second) << 3
  }

  /// The slot where the pair is or would go.
  @inline(__always)
  private func place(_ key: UInt64) -> Int {
    let mask = slots.count - 1
    let product = (key >> 3).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    var at = Int(truncatingIfNeeded: product.high ^ product.low ^ (product.low >> 32)) & mask
    while slots[at] != 0 && slots[at] & ~7 != key { at = (at + 1) & mask }
    return at
  }

  /// The pair's state, 1…7, or `unknown`.
  @inline(__always)
  subscript(first: Int, second: Int) -> UInt8 {
    get { UInt8(truncatingIfNeeded: slots[place(Self.key(first, second))] & 7) }
    set {
      let key = Self.key(first, second)
      let at = place(key)
      if slots[at] == 0 { count += 1 }
      slots[at] = key | UInt64(newValue & 7)
      if count * 4 > slots.count * 3 { grow() }
    }
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    for slot in old where slot != 0 { slots[place(slot & ~7)] = slot }
  }

  /// A random pair in one of the states; nil if a few probes find none.
  mutating func sample(
    _ states: ClosedRange<UInt8>, _ random: inout Xoshiro256
  ) -> (first: Int, second: Int)? {
    for _ in 0..<12 {
      let slot = slots[random.below(slots.count)]
      if states.contains(UInt8(truncatingIfNeeded: slot & 7)) {
        return (Int(slot >> 33), Int(slot >> 3 & 0x3fff_ffff))
      }
    }
    return nil
  }
}
