import Events

/// How values of a type are drawn.
///
/// ```swift
/// struct Point { var x: Int, y: Int }
/// extension Generator where Value == Point {
///   static var point: Self {
///     Self { t in Point(x: t.draw(.int(-9...9)), y: t.draw(.int(-9...9))) }
///   }
/// }
/// ```
/// A recursive generator must terminate if every choice is the simplest: put the alternative that
/// does not recurse first in `oneOf`.
public struct Generator<Value>: Sendable {
  let draw: @Sendable (Trial) -> Value

  /// - Parameter draw: draws a value, usually from other generators.
  public init(_ draw: @escaping @Sendable (Trial) -> Value) { self.draw = draw }

  /// A random value, determined by the seed: for a test of one example.
  public func sample(seed: UInt64) -> Value {
    Trial(random: SplitMix64(seed: seed)).draw(self)
  }

  public func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> Generator<Other> {
    Generator<Other> { change($0.draw(self)) }
  }

  /// Values that meet a condition; at least one in a hundred should.
  /// - Precondition: at least one in ten thousand meets it.
  public func filter(_ condition: @escaping @Sendable (Value) -> Bool) -> Self {
    Self { t in
      func attempt() -> Value { t.span(Attempt<Value>.self) { t.draw(self) } }
      var value = attempt()
      for _ in 0..<10_000 {
        if condition(value) { return value }
        value = t.wandering(attempt)
      }
      preconditionFailure("a filter's condition did not hold for any of 10,000 \(Value.self)s")
    }
  }
}

extension Generator where Value: FixedWidthInteger & Sendable {
  /// An integer in a range; the simplest is the one nearest to 0, and positive rather than
  /// negative.
  public static func int(_ range: ClosedRange<Value>) -> Self {
    let origin = min(max(0, range.lowerBound), range.upperBound)
    // A distance may exceed the type's largest number, but always fits its magnitude.
    func distance(_ a: Value, _ b: Value) -> UInt64 {
      UInt64(Value.Magnitude(truncatingIfNeeded: b &- a))
    }
    let (down, up) = (distance(range.lowerBound, origin), distance(origin, range.upperBound))
    return Self { t in
      let size = t.choose(upTo: max(up, down))
      if down == 0 { return origin &+ Value(truncatingIfNeeded: size) }
      if up == 0 { return origin &- Value(truncatingIfNeeded: size) }
      // The sign is chosen for 0 too, so that a number always takes two choices.
      let sign = t.choose(upTo: 1) { $0.upTo(1) }
      let isNegative = size > up || size <= down && sign == 1
      return isNegative
        ? origin &- Value(truncatingIfNeeded: size) : origin &+ Value(truncatingIfNeeded: size)
    }
  }

  /// Any integer of the type.
  public static var any: Self { .int(.min ... .max) }
}

extension Generator where Value == Bool {
  /// False is simpler.
  public static var bool: Self { Self { t in t.choose(upTo: 1) { $0.upTo(1) } == 1 } }
}

extension Generator where Value == Double {
  /// A number in a range, in a thousand steps: small fractions, including both ends.
  public static func double(_ range: ClosedRange<Double>) -> Self {
    Generator<Int>.int(0...1_000).map { step in
      let part = (range.upperBound - range.lowerBound) * Double(step) / 1_000
      return step == 1_000 ? range.upperBound : min(range.lowerBound + part, range.upperBound)
    }
  }
}

extension Generator {
  /// Always the same value.
  public static func just(_ value: Value) -> Self where Value: Sendable { Self { _ in value } }

  /// One of some values, the first being simplest.
  /// - Precondition: there is at least one.
  public static func element(of values: some Collection<Value> & Sendable) -> Self {
    Self { t in
      let bound = UInt64(values.count - 1)
      let choice = t.choose(upTo: bound) { $0.upTo(bound) }
      return values[values.index(values.startIndex, offsetBy: Int(choice))]
    }
  }

  /// One of some generators, the first being simplest.
  /// - Precondition: there is at least one.
  public static func oneOf(_ generators: Self...) -> Self {
    .frequency(generators.map { (1, $0) })
  }

  /// One of some generators, chosen by weight, the first being simplest.
  /// - Precondition: there is at least one, and the weights are positive.
  public static func frequency(_ generators: [(weight: Int, generator: Self)]) -> Self {
    let weights = generators.map { UInt64($0.weight) }
    return Self { t in
      let choice = t.choose(upTo: UInt64(weights.count - 1)) { UInt64($0.index(weights)) }
      return t.draw(generators[Int(choice)].generator)
    }
  }

  /// Nil, which is simplest, or a value.
  public static func optional<Wrapped>(_ wrapped: Generator<Wrapped>) -> Self
  where Value == Wrapped? {
    Self { t in t.draw(.bool) ? t.draw(wrapped) : nil }
  }

  /// An array with a number of elements in the range; shrinks to fewer and simpler ones.
  public static func array<Element>(
    of element: Generator<Element>, _ count: ClosedRange<Int> = 0...50
  ) -> Self where Value == [Element] {
    Self { t in
      var values: [Element] = []
      t.times(count, Element.self) { values.append(t.draw(element)) }
      return values
    }
  }
}
