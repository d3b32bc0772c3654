import PropertyTesting

/// A property that does not hold, and a way to show a shrunk test case.
struct Case: Sendable {
  var name: String
  /// The smallest form according to the challenge, or the one form that all should have.
  var smallest: String
  var holds: @Sendable (Trial) throws -> Bool
  var show: @Sendable (Trial) throws -> String

  /// - Parameters:
  ///   - draw: draws the test case, or discards one outside the property.
  ///   - holds: the property.
  init<Input>(
    _ name: String, smallest: String, draw: @escaping @Sendable (Trial) throws -> Input,
    holds: @escaping @Sendable (Input) throws -> Bool
  ) {
    self.name = name
    self.smallest = smallest
    self.holds = { try holds(draw($0)) }
    show = { "\(try draw($0))" }
  }
}

/// The cases of https://github.com/jlink/shrinking-challenge, in our own words.
let cases: [Case] = [
  // Five lists of 16-bit numbers each have a sum (which may overflow) below 256: is the sum of all
  // below 5 × 256? Not if a sum overflows.
  Case(
    "bound5", smallest: "[[], [], [], [-1], [-32768]]",
    draw: { t in
      let list = Generator<[Int16]>.array(of: .any, 0...10)
      let lists = (0..<5).map { _ in t.draw(list) }
      try t.assume(lists.allSatisfy { $0.reduce(0, &+) < 256 })
      return lists
    },
    holds: { (lists: [[Int16]]) in lists.joined().reduce(0, &+) < 5 * 256 }),
  // Lists of numbers have at most four different numbers among them.
  Case(
    "large union list", smallest: "[[0, 1, -1, 2, -2]]",
    draw: { t in t.draw(.array(of: Generator<[Int]>.array(of: .any, 0...10), 0...10)) },
    holds: { (lists: [[Int]]) in Set(lists.joined()).count <= 4 }),
  // A list is its own reverse.
  Case(
    "reverse", smallest: "[0, 1]", draw: { t in t.draw(.array(of: Generator<Int>.any)) },
    holds: { (list: [Int]) in list == list.reversed() }),
  // An expression in which nothing is divided by the literal 0 can be evaluated.
  Case(
    "calculator", smallest: "0 / (0 + 0)",
    draw: { t in
      let expression = t.draw(.expression(depth: 4))
      try t.assume(!expression.dividesByLiteralZero)
      return expression
    },
    holds: { expression in expression.value != nil }),
  // No two numbers of a list, each a position in the list, point at each other.
  Case(
    "coupling", smallest: "[1, 0]",
    draw: { t in
      let list = t.draw(.array(of: Generator<Int>.int(0...10), 0...10))
      try t.assume(list.allSatisfy { $0 < list.count })
      return list
    },
    holds: { list in
      list.indices.allSatisfy { list[list[$0]] != $0 || list[$0] == $0 }
    }),
  // A number is not in a list from which its first occurrence was removed.
  Case(
    "deletion", smallest: "([0, 0], 0)",
    draw: { t in
      let list = t.draw(.array(of: Generator<Int>.any, 1...20))
      return (list, list[t.draw(Generator<Int>.int(0...list.count - 1))])
    },
    holds: { (list: [Int], element: Int) in
      var list = list
      list.remove(at: list.firstIndex(of: element)!)
      return !list.contains(element)
    }),
  // A list has fewer than three different numbers.
  Case(
    "distinct", smallest: "[0, 1, -1]", draw: { t in t.draw(.array(of: Generator<Int>.any)) },
    holds: { (list: [Int]) in Set(list).count < 3 }),
  // Lists have at most ten elements together.
  Case(
    "nested lists", smallest: "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]",
    draw: { t in t.draw(.array(of: Generator<[Int]>.array(of: .any, 0...20), 0...20)) },
    holds: { (lists: [[Int]]) in lists.joined().count <= 10 }),
  // The largest number of a list, whose length was drawn before, is below 900.
  Case(
    "length list", smallest: "[900]",
    draw: { t in
      let count = t.draw(Generator<Int>.int(1...100))
      return (0..<count).map { _ in t.draw(Generator<Int>.int(0...1_000)) }
    },
    holds: { (list: [Int]) in list.max()! < 900 }),
  difference(1, smallest: "(10, 10)") { $0 != 0 },
  difference(2, smallest: "(10, 6)") { !(1...4).contains($0) },
  difference(3, smallest: "(10, 9)") { $0 != 1 },
  // A wrong way to sort a binary heap sorts it.
  Case(
    "binary heap", smallest: "(0 - (0 (0 - -) (1 - -)))",
    draw: { t in t.draw(.heap(from: 0, size: 15)) },
    holds: { heap in
      let sorted = heap.wronglySorted
      return sorted == sorted.sorted() && sorted == heap.elements.sorted()
    }),
]

/// Two positive numbers, the first at least 10, have a difference of a kind.
private func difference(
  _ number: Int, smallest: String, _ holds: @escaping @Sendable (Int) -> Bool
) -> Case {
  Case(
    "difference \(number)", smallest: smallest,
    draw: { t in (t.draw(.int(1...Int(Int32.max))), t.draw(.int(1...Int(Int32.max)))) },
    holds: { a, b in a < 10 || holds(abs(a - b)) })
}

indirect enum Expression: Sendable, CustomStringConvertible {
  case number(Int)
  case sum(Expression, Expression)
  case quotient(Expression, Expression)

  var dividesByLiteralZero: Bool {
    switch self {
    case .number: false
    case .sum(let a, let b): a.dividesByLiteralZero || b.dividesByLiteralZero
    case .quotient(_, .number(0)): true
    case .quotient(let a, let b): a.dividesByLiteralZero || b.dividesByLiteralZero
    }
  }

  /// Nil if something is divided by 0.
  var value: Int? {
    switch self {
    case .number(let number): return number
    case .sum(let a, let b):
      guard let a = a.value, let b = b.value else { return nil }
      return a &+ b
    case .quotient(let a, let b):
      guard let a = a.value, let b = b.value, b != 0 else { return nil }
      return a.dividedReportingOverflow(by: b).partialValue
    }
  }

  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .sum(let a, let b): "(\(a) + \(b))"
    case .quotient(let a, let b): "\(a) / \(b)"
    }
  }
}

extension Generator where Value == Expression {
  static func expression(depth: Int) -> Self {
    let number = Generator<Int>.any.map(Expression.number)
    if depth == 0 { return number }
    let part = Self { t in t.draw(.expression(depth: depth - 1)) }
    return .oneOf(
      number,
      Self { t in .sum(t.draw(part), t.draw(part)) },
      Self { t in .quotient(t.draw(part), t.draw(part)) })
  }
}

/// A binary heap: no element is larger than those below it.
indirect enum Heap: Sendable, CustomStringConvertible {
  case empty
  case node(Int, Heap, Heap)

  var description: String {
    switch self {
    case .empty: "-"
    case .node(let value, let left, let right): "(\(value) \(left) \(right))"
    }
  }

  var elements: [Int] {
    switch self {
    case .empty: []
    case .node(let value, let left, let right): [value] + right.elements + left.elements
    }
  }

  func merged(with other: Heap) -> Heap {
    guard case .node(let a, let left, let right) = self else { return other }
    guard case .node(let b, let otherLeft, let otherRight) = other else { return self }
    return a <= b
      ? .node(a, right.merged(with: other), left)
      : .node(b, otherRight.merged(with: self), otherLeft)
  }

  /// The root, then the rest merged, but not sorted any further: the mistake.
  var wronglySorted: [Int] {
    guard case .node(let value, let left, let right) = self else { return [] }
    return [value] + left.merged(with: right).elements
  }
}

extension Generator where Value == Heap {
  /// A heap of at most `size` elements, none below `least`.
  static func heap(from least: Int, size: Int) -> Self {
    Self { t in
      guard t.draw(.bool), size > 0 else { return .empty }
      let value = t.draw(.int(least...Int(Int32.max)))
      return .node(
        value, t.draw(.heap(from: value, size: size / 2)),
        t.draw(.heap(from: value, size: size / 2)))
    }
  }
}
