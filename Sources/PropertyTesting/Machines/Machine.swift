import EventLog
import Events
import Testing

/// A system and a simple model of it, which must answer all commands alike.
///
/// ```swift
/// /// A log in memory only grows; the model is its length.
/// struct Appends: Machine {
///   let model = 0
///   let rules = [
///     Rule<Appends>("append") { t, _ in t.draw(.element(of: ["ann", "ben"])) },
///     Rule("again", if: { $0 > 0 }) { _, _ in "ann" },
///   ]
///   func system(on interleaver: Interleaver?) async throws -> InMemoryLog { InMemoryLog() }
///   func perform(_ user: String, on log: InMemoryLog) async -> UInt64? {
///     var names = Names()
///     guard let id = try? names.user(user) else { return nil }
///     let send = Event.profile(.sendLogged(SendLogged(user: id, climb: "x")))
///     return try? await log.append(Commit([NewEvent(send, actor: user, names: names)])).last
///   }
///   func respond(to user: String, _ count: inout Int, seeing response: UInt64?) -> UInt64? {
///     count += 1
///     return UInt64(count)
///   }
/// }
/// @Test func appends() async throws {
///   try await check { t in try await t.run(Appends()) }
///   try await check { t in try await t.race(Appends()) }
/// }
/// ```
public protocol Machine: Sendable {
  /// The model's state.
  associatedtype Model: Sendable
  /// The system to test.
  associatedtype System: Sendable
  /// A command for both.
  associatedtype Command: Sendable
  /// An answer to a command.
  associatedtype Response: Equatable & Sendable

  /// The model of a new system.
  var model: Model { get }
  /// The kinds of steps. The first is the simplest.
  var rules: [Rule<Self>] { get }
  /// Creates a system.
  /// - Parameter interleaver: in a race, the executor for everything that the system starts.
  func system(on interleaver: Interleaver?) async throws -> System
  /// Performs a command on the system.
  func perform(_ command: Command, on system: System) async -> Response
  /// Performs a command on the model, and returns the answer expected from the system. Copy the
  /// values that a model cannot know, such as new ids, from `response`, the system's answer.
  func respond(to command: Command, _ model: inout Model, seeing response: Response) -> Response
  /// Expects the properties that must hold after every step.
  func invariants(_ model: Model, _ system: System) async throws
  /// Returns commands to perform after a race. The model must give the same answers.
  func questions(_ model: Model) -> [Command]
  /// Returns the system's log, to save as a counterexample's file; nil if it has none.
  func log(of system: System) -> (any EventStore)?
}

extension Machine {
  /// Expects nothing.
  public func invariants(_ model: Model, _ system: System) async throws {}
  /// Returns no commands.
  public func questions(_ model: Model) -> [Command] { [] }
  /// Returns nil.
  public func log(of system: System) -> (any EventStore)? { nil }
}

/// One kind of step of a machine.
public struct Rule<M: Machine>: Sendable {
  let name: String
  let isPossible: @Sendable (M.Model) -> Bool
  let draw: @Sendable (Trial, M.Model) -> M.Command

  /// Creates a kind of step.
  /// - Parameters:
  ///   - name: the label of runs with such a step.
  ///   - isPossible: the precondition. It is checked again whenever shrinking moves the step.
  ///   - draw: draws the command, for example from a bundle in the model.
  public init(
    _ name: String, if isPossible: @escaping @Sendable (M.Model) -> Bool = { _ in true },
    draw: @escaping @Sendable (Trial, M.Model) -> M.Command
  ) {
    (self.name, self.isPossible, self.draw) = (name, isPossible, draw)
  }
}

/// Values from earlier steps, from which later steps draw: `t.draw(.element(of: bundle))`.
public struct Bundle<Value: Sendable>: RandomAccessCollection, Sendable {
  private var values: [Value] = []

  /// Creates an empty bundle.
  public init() {}

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of values.
  public var endIndex: Int { values.count }
  /// The value at a position. O(1).
  public subscript(position: Int) -> Value { values[position] }

  /// Adds a value at the end.
  public mutating func add(_ value: Value) { values.append(value) }
  /// Removes used values.
  public mutating func remove(where isUsed: (Value) -> Bool) { values.removeAll(where: isUsed) }
}

extension Trial {
  /// Draws a step. Returns nil if the tape chooses a rule that is not possible now.
  func command<M: Machine>(of machine: M, _ model: M.Model) -> M.Command? {
    let rules = machine.rules
    let choice = choose(upTo: UInt64(rules.count - 1)) { random in
      let possible = rules.indices.filter { rules[$0].isPossible(model) }
      return UInt64(possible.randomElement(using: &random) ?? 0)
    }
    let rule = rules[Int(choice)]
    guard rule.isPossible(model) else { return nil }
    label(rule.name)
    return nested { rule.draw(self, model) }
  }
}

extension Trial {
  /// Takes random steps with a machine. Expects after each step that system and model give the same
  /// answer and that the invariants hold.
  ///
  /// The number of steps is in `steps`. Shrinking makes the steps fewer first, then simpler.
  public func run<M: Machine>(
    _ machine: M, steps: ClosedRange<Int> = 0...30, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let system = try await machine.system(on: nil)
    _ = try await take(steps, machine, system, nil, location)
    if let log = machine.log(of: system) { try await keep(log) }
  }

  /// Takes the steps.
  /// - Returns: the model after the steps.
  func take<M: Machine>(
    _ steps: ClosedRange<Int>, _ machine: M, _ system: M.System, _ interleaver: Interleaver?,
    _ location: SourceLocation
  ) async throws -> M.Model {
    var model = machine.model
    try await times(steps) {
      guard let command = command(of: machine, model) else { return }
      let response =
        if let interleaver {
          try await interleaver.run { await machine.perform(command, on: system) }
        } else {
          await machine.perform(command, on: system)
        }
      let expected = machine.respond(to: command, &model, seeing: response)
      note("\(command) → \(response)")
      #expect(response == expected, "\(command)", sourceLocation: location)
      if let interleaver {
        try await interleaver.run { [model] in
          await Result { try await machine.invariants(model, system) }
        }.get()
      } else {
        try await machine.invariants(model, system)
      }
    }
    return model
  }
}
