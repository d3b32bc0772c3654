import Events

/// A source of the choices that determine a generated history. A choice is a number from 0, the
/// simplest, to a bound.
///
/// A property test's `Trial` records the choices on a tape, and can read them from such a tape.
/// `RandomChoices` only picks them.
package protocol Choices: AnyObject {
  /// Returns a number from 0 to a bound.
  /// - Parameter pick: picks the number, unless a tape of recorded choices determines it.
  func choose(upTo bound: UInt64, _ pick: (inout SplitMix64) -> UInt64) -> UInt64
  /// Runs `body` and groups its choices. A property test that shrinks a history may replace a group
  /// by another group of the same kind.
  func together<Kind, Result>(_ kind: Kind.Type, _ body: () -> Result) -> Result
  /// Returns a random value that is not recorded as a choice, such as a probability. Returns nil if
  /// all choices come from a tape.
  func improvise<Value>(_ body: (inout SplitMix64) -> Value) -> Value?
  /// The index of the thing chosen last, in that thing's list of candidates.
  var chosenPlace: Int? { get set }
}

extension Choices {
  /// Chooses the index of one of `count` values; 0 if there are no values.
  func place<Kind>(_ kind: Kind.Type, of count: Int, _ pick: (inout SplitMix64) -> Int) -> Int {
    together(kind) { Int(choose(upTo: UInt64(max(count, 1) - 1)) { UInt64(pick(&$0)) }) }
  }

  /// Chooses one of the values. All values are equally likely.
  /// - Precondition: `values` is not empty.
  func element<Value>(_ values: [Value]) -> Value {
    values[place(Value.self, of: values.count) { $0.below(values.count) }]
  }

  /// Chooses true with a probability of `parts` in `whole`. False is the simpler choice.
  func flag(_ parts: UInt64 = 1, in whole: UInt64 = 2) -> Bool {
    place(Bool.self, of: 2) { $0.chance(parts, in: whole) ? 1 : 0 } == 1
  }
}

/// A source of random choices that does not record them.
final class RandomChoices: Choices {
  // Safe: one thread draws a history, and accesses do not overlap.
  @exclusivity(unchecked) var random: SplitMix64
  var chosenPlace: Int?

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  func choose(upTo bound: UInt64, _ pick: (inout SplitMix64) -> UInt64) -> UInt64 {
    improvise(pick) ?? 0
  }

  func together<Kind, Result>(_ kind: Kind.Type, _ body: () -> Result) -> Result { body() }

  func improvise<Value>(_ body: (inout SplitMix64) -> Value) -> Value? {
    // Copies `random`, so that no access to it lasts while the body runs.
    var copy = random
    defer { random = copy }
    return body(&copy)
  }
}

/// Distributions of random numbers. They use only integers, so they are the same on every machine.
extension SplitMix64 {
  /// Returns a uniform number in `0..<count`; 0 if `count` is less than 2.
  @inline(__always)
  package mutating func below(_ count: Int) -> Int {
    Int(truncatingIfNeeded: UInt64(max(count, 1)).multipliedFullWidth(by: next()).high)
  }

  /// Returns a uniform number from 0 to a bound.
  package mutating func upTo(_ bound: UInt64) -> UInt64 {
    bound == .max ? next() : (bound + 1).multipliedFullWidth(by: next()).high
  }

  /// Returns an index of `weights`, with a probability proportional to its weight.
  /// - Precondition: at least one weight is positive.
  package mutating func index(_ weights: [UInt64]) -> Int {
    var rest = upTo(weights.reduce(0, +) - 1)
    for (position, weight) in weights.enumerated() {
      if rest < weight { return position }
      rest -= weight
    }
    return 0
  }

  /// Returns a uniform number in a range.
  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// Returns true with a probability of `parts` in `whole`.
  @inline(__always)
  package mutating func chance(_ parts: UInt64, in whole: UInt64) -> Bool {
    whole.multipliedFullWidth(by: next()).high < parts
  }

  /// Returns true with a probability of 1 in `count`.
  @inline(__always)
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// Returns one of the items. All items are equally likely.
  /// - Precondition: `items` is not empty.
  @inline(__always)
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }

  /// Returns a number in `0..<count`. The probability of n is about proportional to (n + 1)^-¾.
  ///
  /// It halves the range `level` times. Each level is half as likely as the level 4 below it.
  @inline(__always)
  mutating func skewed(_ count: Int) -> Int {
    let bits = next()
    let level = 4 * bits.trailingZeroBitCount + Int(bits >> 62)
    let narrowed = level < Int.bitWidth ? count >> level : 0
    return below(narrowed > 0 ? narrowed : count)
  }
}
