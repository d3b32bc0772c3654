import Events
import UseCases

/// The kinds of a simulation's steps.
package protocol StepKind: RawRepresentable<String>, Sendable {
  /// The word for the things that steps are about, such as `phone`.
  static var subject: String { get }
}

/// A step of a simulation. Its numbers choose among the things that exist when the step runs, so a
/// script stays meaningful when steps are left out.
package struct SimulationStep<Kind: StepKind>: Sendable {
  package var kind: Kind
  /// The number of the thing that the step is about.
  package var subject: Int
  /// At least four random numbers.
  package var numbers: [UInt64]

  init(_ kind: Kind, _ subject: Int, _ numbers: [UInt64]) {
    (self.kind, self.subject, self.numbers) = (kind, subject, numbers)
  }

  init?(_ json: JSONValue) {
    guard case .string(let word)? = json["step"], let kind = Kind(rawValue: word),
      let subject = json[Kind.subject]?.uint64, case .array(let numbers)? = json["numbers"]
    else { return nil }
    self.init(kind, Int(subject), numbers.compactMap(\.uint64))
    if self.numbers.count < 4 { return nil }
  }

  var json: JSONValue {
    .object([
      .init("step", .string(kind.rawValue)), .init(Kind.subject, .int(subject)),
      .init("numbers", .array(numbers.map { .int($0) })),
    ])
  }
}

/// A whole simulation: what happens, in order.
package struct SimulationScript<Kind: StepKind>: Sendable {
  package var seed: UInt64
  /// The number of things that steps are about.
  package var subjects: Int
  package var steps: [SimulationStep<Kind>]

  /// Draws a script from a seed.
  /// - Parameter weights: returns how often each kind of step occurs, in relation to the others.
  package init(
    seed: UInt64, subjects: Int, steps count: Int,
    weights: (inout SplitMix64) -> [(kind: Kind, weight: UInt64)]
  ) {
    (self.seed, self.subjects) = (seed, subjects)
    var random = SplitMix64(seed: seed ^ 0x9e37_79b9)
    let weights = weights(&random)
    let sum = weights.reduce(0) { $0 + $1.weight }
    steps = (0..<count).map { _ in
      var left = random.next() % sum
      let found = weights.first { weight in
        if left < weight.weight { return true }
        left -= weight.weight
        return false
      }
      let subject = Int(random.next() % UInt64(subjects))
      let numbers = (0..<4).map { _ in random.next() >> 16 }
      return SimulationStep((found ?? weights[0]).kind, subject, numbers)
    }
  }

  private static var countName: String { Kind.subject + "s" }

  /// Reads a script: a line with the seed and the number of things, then a line for each step.
  package init?(text: String) {
    let lines = text.split(separator: "\n").map { try? JSONValue(String($0)) }
    guard let head = lines.first ?? nil, let seed = head["seed"]?.uint64,
      let subjects = head[Self.countName]?.uint64
    else { return nil }
    (self.seed, self.subjects) = (seed, Int(subjects))
    steps = lines.dropFirst().compactMap { $0.flatMap(SimulationStep.init) }
    if steps.count + 1 != lines.count { return nil }
  }

  package var text: String {
    let head = JSONValue.object([
      .init("seed", .int(seed)), .init(Self.countName, .int(subjects)),
    ])
    return ([head.text] + steps.map(\.json.text)).joined(separator: "\n") + "\n"
  }
}
