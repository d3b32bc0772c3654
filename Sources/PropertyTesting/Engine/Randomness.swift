import Events

/// The distributions of the numbers in test cases.
extension SplitMix64 {
  mutating func chance(_ parts: UInt64, in whole: UInt64) -> Bool {
    next(upperBound: whole) < parts
  }

  mutating func upTo(_ bound: UInt64) -> UInt64 {
    bound == .max ? next() : next(upperBound: bound + 1)
  }

  /// An index, chosen by weight.
  /// - Precondition: at least one weight is positive.
  mutating func index(_ weights: [UInt64]) -> Int {
    var rest = upTo(weights.reduce(0, +) - 1)
    for (position, weight) in weights.enumerated() {
      if rest < weight { return position }
      rest -= weight
    }
    return 0
  }

  /// A number up to a bound. For large bounds, favours small numbers, the bound, and numbers equal
  /// or next to recent ones: bugs live where things are equal or touch.
  mutating func number(upTo bound: UInt64, near recent: [UInt64]) -> UInt64 {
    guard bound > 16 else { return upTo(bound) }
    switch next(upperBound: 32 as UInt64) {
    case 0: return 0
    case 1: return bound - upTo(2)
    case 2..<8:
      guard let other = recent.randomElement(using: &self), other <= bound else { break }
      if chance(1, in: 2) { return other }
      let step = 1 + upTo(3)
      return chance(1, in: 2) ? other - min(step, other) : other + min(step, bound - other)
    case 8..<20: return upTo(bound)
    default: break
    }
    // A random number of bits, so that all magnitudes are equally likely.
    let bits = next(upperBound: UInt64(64 - bound.leadingZeroBitCount) + 1)
    return bits == 0 ? 0 : min(bound, next() >> (64 - bits))
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(upTo(UInt64(range.upperBound - range.lowerBound)))
  }

  /// A number of elements: any number, with small ones favoured, and now and then none or all.
  mutating func count(_ range: ClosedRange<Int>) -> Int {
    let room = UInt64(range.count - 1)
    let extra =
      switch next(upperBound: 16 as UInt64) {
      case 0: 0 as UInt64
      case 1: room
      case 2..<7: upTo(min(room, 8))
      default: upTo(room)
      }
    return range.lowerBound + Int(extra)
  }
}
