import Events

/// A system with a model beside it: what can be done to both, and what they have to agree on.
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
  associatedtype Model: Sendable
  associatedtype System: Sendable
  associatedtype Command: Sendable
  associatedtype Response: Equatable & Sendable

  /// The model of a new system.
  var model: Model { get }
  /// What can be done; the first is the simplest.
  var rules: [Rule<Self>] { get }
  /// A new system.
  /// - Parameter interleaver: in a race, what all that the system starts is to run on.
  func system(on interleaver: Interleaver?) async throws -> System
  /// Does something to the system.
  func perform(_ command: Command, on system: System) async -> Response
  /// Does the same to the model, and says what the system should have answered.
  /// - Parameter response: what the system answered: for values that a model cannot know, such as
  ///   new ids, which are then part of the answer.
  func respond(to command: Command, _ model: inout Model, seeing response: Response) -> Response
  /// Expects what has to hold after every step.
  func invariants(_ model: Model, _ system: System) async throws
  /// What is asked of the system after a race, and has to agree with the model as well.
  func questions(_ model: Model) -> [Command]
  /// The system's log, if it has one: a counterexample's file.
  func log(of system: System) -> (any EventStore)?
}

extension Machine {
  public func invariants(_ model: Model, _ system: System) async throws {}
  public func questions(_ model: Model) -> [Command] { [] }
  public func log(of system: System) -> (any EventStore)? { nil }
}

/// One kind of step of a machine.
public struct Rule<M: Machine>: Sendable {
  let name: String
  let isPossible: @Sendable (M.Model) -> Bool
  let draw: @Sendable (Trial, M.Model) -> M.Command

  /// - Parameters:
  ///   - name: the label of the runs with such a step.
  ///   - isPossible: the precondition; looked at again for every step that shrinking moves.
  ///   - draw: draws the command, such as from a bundle of the model's.
  public init(
    _ name: String, if isPossible: @escaping @Sendable (M.Model) -> Bool = { _ in true },
    draw: @escaping @Sendable (Trial, M.Model) -> M.Command
  ) {
    self.name = name
    self.isPossible = isPossible
    self.draw = draw
  }
}

/// Values that earlier steps produced, for later ones to draw from: `t.draw(.element(of: bundle))`.
public struct Bundle<Value: Sendable>: RandomAccessCollection, Sendable {
  private var values: [Value] = []

  public init() {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { values.count }
  public subscript(position: Int) -> Value { values[position] }

  public mutating func add(_ value: Value) { values.append(value) }
  /// Takes out what is used up.
  public mutating func remove(where isUsed: (Value) -> Bool) { values.removeAll(where: isUsed) }
}

extension Trial {
  /// Draws a step, or nil where the tape names a rule that is not possible now.
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
