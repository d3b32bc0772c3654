import EventLog
import Events
import Testing

/// A system under test and a simple model of it. Both must give the same answers to all commands.
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
  /// A command that the system and the model can perform.
  associatedtype Command: Sendable
  /// An answer to a command.
  associatedtype Response: Equatable & Sendable

  /// The model's state for a new system.
  var model: Model { get }
  /// The kinds of steps that a test can take. The first kind is the simplest.
  var rules: [Rule<Self>] { get }
  /// Creates a system to test.
  /// - Parameter interleaver: in a race, the executor for the system's tasks; otherwise nil.
  func system(on interleaver: Interleaver?) async throws -> System
  /// Performs a command on the system.
  func perform(_ command: Command, on system: System) async -> Response
  /// Performs a command on the model, and returns the answer that the system should give.
  ///
  /// `response` is the system's actual answer. Copy from it the values that a model cannot know,
  /// such as new ids.
  func respond(to command: Command, _ model: inout Model, seeing response: Response) -> Response
  /// Checks, with expectations, the properties that must hold after every step.
  func invariants(_ model: Model, _ system: System) async throws
  /// Returns commands that the system performs after a race. The model must give the same answers.
  func questions(_ model: Model) -> [Command]
  /// Returns the system's log, for the report about a counterexample; nil if the system has none.
  func log(of system: System) -> (any EventStore)?
}

extension Machine {
  /// By default, checks nothing.
  public func invariants(_ model: Model, _ system: System) async throws {}
  /// By default, returns no commands.
  public func questions(_ model: Model) -> [Command] { [] }
  /// By default, returns nil.
  public func log(of system: System) -> (any EventStore)? { nil }
}

/// One kind of step that a machine can take.
public struct Rule<M: Machine>: Sendable {
  let name: String
  let isPossible: @Sendable (M.Model) -> Bool
  let draw: @Sendable (Trial, M.Model) -> M.Command

  /// Creates a kind of step.
  /// - Parameters:
  ///   - name: the name of the kind. Each run with such a step gets this name as a label.
  ///   - isPossible: the precondition for taking the step. It is checked again after shrinking
  ///     moves the step.
  ///   - draw: draws the step's command, for example from a `Bundle` in the model.
  public init(
    _ name: String, if isPossible: @escaping @Sendable (M.Model) -> Bool = { _ in true },
    draw: @escaping @Sendable (Trial, M.Model) -> M.Command
  ) {
    (self.name, self.isPossible, self.draw) = (name, isPossible, draw)
  }
}

/// Values that earlier steps produced and later steps draw: `t.draw(.element(of: bundle))`.
public struct Bundle<Value: Sendable>: RandomAccessCollection, Sendable {
  private var values: [Value] = []

  /// Creates an empty bundle.
  public init() {}

  /// The index of the first value: 0.
  public var startIndex: Int { 0 }
  /// The number of values, which is the index after the last one.
  public var endIndex: Int { values.count }
  /// The value at an index. O(1).
  public subscript(position: Int) -> Value { values[position] }

  /// Adds a value at the end.
  public mutating func add(_ value: Value) { values.append(value) }
  /// Removes the values that a step has used up.
  public mutating func remove(where isUsed: (Value) -> Bool) { values.removeAll(where: isUsed) }
}

extension Trial {
  /// Draws a step's command. Returns nil if the tape chooses a rule that is not possible now.
  func command<M: Machine>(of machine: M, _ model: M.Model) -> M.Command? {
    span(M.self) {
      let rules = machine.rules
      let choice = choose(upTo: UInt64(rules.count - 1)) { random in
        let possible = rules.indices.filter { rules[$0].isPossible(model) }
        return UInt64(possible.randomElement(using: &random) ?? 0)
      }
      let rule = rules[Int(choice)]
      guard rule.isPossible(model) else { return nil }
      begin(step: rule.name)
      return nested { rule.draw(self, model) }
    }
  }
}

extension Trial {
  /// Takes random steps with a machine. Checks after each step that the system and the model gave
  /// the same answer and that the invariants hold.
  ///
  /// The number of steps is drawn from `steps`. Shrinking first reduces the number of steps, then
  /// makes each step simpler.
  public func run<M: Machine>(
    _ machine: M, steps: ClosedRange<Int> = 0...30, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let system = try await machine.system(on: nil)
    _ = try await take(steps, machine, system, nil, location)
    if let log = machine.log(of: system) { try await keep(log) }
  }

  /// Takes random steps with a system.
  /// - Returns: the model after the steps.
  func take<M: Machine>(
    _ steps: ClosedRange<Int>, _ machine: M, _ system: M.System, _ interleaver: Interleaver?,
    _ location: SourceLocation
  ) async throws -> M.Model {
    var model = machine.model
    try await times(steps) {
      let before = step
      guard let command = command(of: machine, model) else { return }
      let response =
        if let interleaver {
          try await interleaver.run { await machine.perform(command, on: system) }
        } else {
          await machine.perform(command, on: system)
        }
      let expected = machine.respond(to: command, &model, seeing: response)
      note("\(command) → \(response)\(stepMark)")
      if recordsGround { reach(step, after: before, response, model) }
      if response != expected, failedStep == nil { failedStep = step }
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

  /// Records the ground that a machine's step reached: the rule with the rule before it, with the
  /// shape of the answer, and with the shape of the model after the step; and the model's shape.
  private func reach(_ step: String?, after before: String?, _ response: Any, _ model: Any) {
    let rule = Ground.hash(step ?? "")
    let state = Ground.shape(of: model)
    reach([
      Ground.hash(1, rule, Ground.hash(before ?? "")),
      Ground.hash(2, rule, Ground.shape(of: response)), Ground.hash(3, rule, state),
      Ground.hash(4, state),
    ])
  }
}
