import PropertyTesting
import Synchronization
import Testing

/// A bug that the literature describes, planted in a small type, and its smallest story.
struct PlantedBug: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The lines of the smallest story, without the times of a race. There are several such stories
  /// if a number cannot be lowered alone.
  let stories: [[String]]
  /// Tests the type with the bug, or without it.
  let property: @Sendable (_ t: Trial, _ isBuggy: Bool) async throws -> Void

  /// A bug that the steps of a machine show.
  init<M: ValueMachine>(
    _ description: String, _ story: [String], or other: [String]? = nil,
    running machine: @escaping @Sendable (Bool) -> M
  ) {
    (testDescription, stories) = (description, [story, other ?? story])
    property = { t, isBuggy in try await t.run(machine(isBuggy)) }
  }

  /// A bug that a race of two tasks shows. A deadlock shows at once, because no other
  /// thread can end it.
  init<M: RacingMachine>(
    _ description: String, _ story: [String],
    racing machine: @escaping @Sendable (Bool) -> M
  ) {
    (testDescription, stories) = (description, [story])
    property = { t, isBuggy in
      try await t.race(machine(isBuggy), tasks: 2, patience: .microseconds(200))
    }
  }
}

/// A machine whose commands race.
protocol RacingMachine: Machine where Response == String {}

/// A machine whose system is a value of a small type.
protocol ValueMachine: Machine where System == Shared<Subject>, Response == String {
  associatedtype Subject: Sendable
  /// A new value.
  var subject: Subject { get }
  func perform(_ command: Command, on subject: inout Subject) -> String
}

extension ValueMachine {
  func system(on interleaver: Interleaver?) -> Shared<Subject> { Shared(subject) }

  func perform(_ command: Command, on system: Shared<Subject>) async -> String {
    system.value.withLock { perform(command, on: &$0) }
  }
}

/// A value that a machine's commands change.
final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}

/// Returns a value as text, or "nothing" for nil.
func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
