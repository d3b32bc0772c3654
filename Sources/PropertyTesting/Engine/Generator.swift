import Events

/// A function that draws values of a type.
///
/// ```swift
/// struct Point { var x: Int, y: Int }
/// extension Generator where Value == Point {
///   static var point: Self {
///     Self { t in Point(x: t.draw(.int(-9...9)), y: t.draw(.int(-9...9))) }
///   }
/// }
/// ```
/// A recursive generator must terminate if every choice is 0. So let `oneOf` begin with an
/// alternative that does not recurse.
public struct Generator<Value>: Sendable {
  let draw: @Sendable (Trial) -> Value

  /// Creates a generator.
  /// - Parameter draw: draws a value from a run, usually with other generators.
  public init(_ draw: @escaping @Sendable (Trial) -> Value) { self.draw = draw }

  /// Returns one random value, which the seed determines, for a test with one example.
  public func sample(seed: UInt64) -> Value {
    Trial(random: SplitMix64(seed: seed)).draw(self)
  }

  /// Returns a generator whose values are the results of `change`.
  public func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> Generator<Other> {
    Generator<Other> { change($0.draw(self)) }
  }

  /// Returns a generator of the values that meet a condition. At least 1 value in 100 should.
  /// - Precondition: at least one of 10,000 values drawn in a row meets the condition.
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
  /// An integer in a range. The simplest integer is the nearest to 0. A positive number is simpler
  /// than its negative.
  public static func int(_ range: ClosedRange<Value>) -> Self {
    let origin = min(max(0, range.lowerBound), range.upperBound)
    // A distance may exceed `Value.max`, but always fits in `Value.Magnitude`.
    func distance(_ a: Value, _ b: Value) -> UInt64 {
      UInt64(Value.Magnitude(truncatingIfNeeded: b &- a))
    }
    let (down, up) = (distance(range.lowerBound, origin), distance(origin, range.upperBound))
    return Self { t in
      let size = t.choose(upTo: max(up, down))
      if down == 0 { return origin &+ Value(truncatingIfNeeded: size) }
      if up == 0 { return origin &- Value(truncatingIfNeeded: size) }
      // A sign is chosen for 0 too, so that a number always takes two choices.
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
  /// True or false. False is simpler.
  public static var bool: Self { Self { t in t.choose(upTo: 1) { $0.upTo(1) } == 1 } }
}

extension Generator where Value == Double {
  /// One of 1,001 evenly spaced numbers in a range, including both ends.
  public static func double(_ range: ClosedRange<Double>) -> Self {
    Generator<Int>.int(0...1_000).map { step in
      let part = (range.upperBound - range.lowerBound) * Double(step) / 1_000
      return step == 1_000 ? range.upperBound : min(range.lowerBound + part, range.upperBound)
    }
  }
}

extension Generator {
  /// The same value each time.
  public static func just(_ value: Value) -> Self where Value: Sendable { Self { _ in value } }

  /// One of the given values. The first value is the simplest.
  /// - Precondition: `values` is not empty.
  public static func element(of values: some Collection<Value> & Sendable) -> Self {
    Self { t in
      let bound = UInt64(values.count - 1)
      let choice = t.choose(upTo: bound) { $0.upTo(bound) }
      return values[values.index(values.startIndex, offsetBy: Int(choice))]
    }
  }

  /// A value from one of the given generators. The first generator is the simplest.
  /// - Precondition: `generators` is not empty.
  public static func oneOf(_ generators: Self...) -> Self {
    .frequency(generators.map { (1, $0) })
  }

  /// A value from one of the given generators, chosen by weight. The first generator is the
  /// simplest.
  /// - Precondition: `generators` is not empty, and the weights are positive.
  public static func frequency(_ generators: [(weight: Int, generator: Self)]) -> Self {
    let weights = generators.map { UInt64($0.weight) }
    return Self { t in
      let choice = t.choose(upTo: UInt64(weights.count - 1)) { UInt64($0.index(weights)) }
      return t.draw(generators[Int(choice)].generator)
    }
  }

  /// Nil, or a value from the given generator. Nil is simpler.
  public static func optional<Wrapped>(_ wrapped: Generator<Wrapped>) -> Self
  where Value == Wrapped? {
    Self { t in t.draw(.bool) ? t.draw(wrapped) : nil }
  }

  /// An array whose number of elements is in `count`. Shrinking tries fewer and simpler elements.
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
