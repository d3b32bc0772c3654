import Events
import HistoryGeneration

/// Distributions of the numbers in test cases.
extension SplitMix64 {
  /// Returns a number from 0 to a bound.
  ///
  /// For large bounds, it favours small numbers, the bound, and numbers equal or next to recent
  /// ones. Many bugs occur if two values are equal or adjacent.
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
    // Draws the number of bits first, so that all magnitudes are equally likely.
    let bits = next(upperBound: UInt64(64 - bound.leadingZeroBitCount) + 1)
    return bits == 0 ? 0 : min(bound, next() >> (64 - bits))
  }

  /// Returns a number of elements in a range. It favours small numbers, and the range's two ends.
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

  /// Returns a history's number of events. Usually all numbers are equally likely; sometimes it is
  /// the least number, a small one or the largest.
  mutating func historySize(_ range: ClosedRange<Int>) -> Int {
    switch below(16) {
    case 0: range.lowerBound
    case 1: range.upperBound
    case 2: range.lowerBound + below(min(range.count, 9))
    default: within(range)
    }
  }
}
