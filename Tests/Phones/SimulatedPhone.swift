import EventLog
import EventlogClient
import Events
import FaultTesting
import UseCases

/// A command of an app that the server does not know.
struct Wave: SilentCommand {
  static let about = About("simapp.Wave", .profile, "Wave to nobody", errors: ["unauthorized"])
  let core: Core
  init(_ core: Core) { self.core = core }
  func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) {
    _ = try model.actor()
  }
}

/// A phone of a simulation: the state of an offline store on a disk that can lose power, and the
/// promises that it has made.
@MainActor final class SimulatedPhone {
  let user: String
  let number: Int
  let power: FailingDisk
  private let environment: RuntimeEnvironment
  private let core: Core
  private let skew: Skew
  private(set) var state: OfflineState
  private var widget: OfflineState?
  /// The message whose answer the phone waits for.
  var awaited: Int?
  /// The commands that the phone has acknowledged or found on its disk: key, name, and the answer.
  private(set) var promised: [String: PendingCommand] = [:]
  /// The keys of the promised commands, in order.
  private(set) var order: [String] = []
  private(set) var outcomes: [String: CommandOutcome] = [:]
  private(set) var dismissed: Set<String> = []
  private var position: UInt64 = 0
  /// The texts that the person wrote.
  var secrets: Set<String> = []

  init(
    _ number: Int, _ clock: SimulatedClock, seed: UInt64, knowsWave: Bool
  ) async throws {
    (user, self.number) = ("u\(number)", number)
    power = FailingDisk(seed: seed &+ 7)
    let (skew, random) = (Skew(clock), SimulatedRandomness(seed: seed))
    environment = RuntimeEnvironment(now: { skew.now }, random: { random.pair })
    core = try await .deciding(
      knowsWave ? .standard.adding(Wave.self) : .standard, environment)
    self.skew = skew
    state = try OfflineState(
      OfflineFolder("/phone", power.disk.files), of: user, core: core, environment)
    state.mostLines = 10
  }

  /// Opens the folder again if the power has failed.
  func restartIfKilled() throws {
    if power.hasLostPower() { try reopen() }
  }

  /// Starts the app again, and checks that it kept its promises.
  func reopen() throws {
    (awaited, widget) = (nil, nil)
    state.release()
    state = try OfflineState(
      OfflineFolder("/phone", power.disk.files), of: user, core: core, environment)
    state.mostLines = 10
    let pending = Set(state.pending.map(\.id))
    let known = Dictionary(uniqueKeysWithValues: state.outcomes.map { ($0.id, $0) })
    for command in state.pending { promise(command) }
    for key in promised.keys.sorted() {
      try check(
        pending.contains(key) || known[key] != nil || dismissed.contains(key), "command lost",
        "\(user) lost \(promised[key]?.name ?? "") \(key)")
      try check(
        !pending.contains(key) || outcomes[key] == nil, "outcome lost",
        "\(key) of \(user) is pending again")
    }
    for (key, outcome) in outcomes {
      try check(
        dismissed.contains(key) || known[key]?.kind == outcome.kind, "outcome lost",
        "\(outcome.name) \(key) of \(user)")
    }
    for outcome in known.values where outcomes[outcome.id] == nil { outcomes[outcome.id] = outcome }
    try check(
      dismissed.isDisjoint(with: known.keys), "dismissed again", "an outcome of \(user)")
    try checkPosition()
  }

  private func promise(_ command: PendingCommand) {
    if promised.updateValue(command, forKey: command.id) == nil { order.append(command.id) }
  }

  func jump(by milliseconds: Int64) { skew.jump(by: milliseconds) }

  /// Performs a command by its name. Returns the answer; nil if it was refused or not stored.
  func tap(_ name: String, _ input: JSONValue) throws -> JSONValue? {
    guard let type = core.useCases.find(name)?.useCase as? any Command.Type else { return nil }
    let answer: JSONValue
    do throws(UseCaseError) { answer = try perform(type, input) } catch {
      try restartIfKilled()
      return nil
    }
    guard let command = state.pending.last else {
      throw Violation("command lost", "\(name) of \(user) is not pending")
    }
    promise(command)
    try check(
      !command.name.hasPrefix("Toggle"), "toggle sent", "\(command.name) of \(user) is pending")
    try restartIfKilled()
    return answer
  }

  private func perform<C: Command>(
    _: C.Type, _ input: JSONValue
  ) throws(UseCaseError) -> JSONValue {
    let read: C.Input
    do throws(InputError) { read = try C.Input(json: input) } catch { throw .invalidInput(error) }
    return try state.perform(C.self, read).json
  }

  // MARK: Sync

  /// Begins a sync, and returns its first request.
  func beginSync() throws -> OfflineState.Step? {
    do throws(UseCaseError) { try state.beginSync() } catch { throw failed(error) }
    return state.nextStep()
  }

  /// Takes a message of the server. Returns the next request if the phone has waited for the
  /// message.
  func receive(_ message: Message, isAwaited: Bool) throws -> OfflineState.Step? {
    do throws(UseCaseError) {
      switch message {
      case .replies(let text):
        let replies = text.split(separator: "\n").compactMap {
          (try? JSONValue(String($0))).flatMap(OutboxReply.init)
        }
        for outcome in try state.receive(replies) { try note(outcome) }
      case .log(let text, let earlier): try receive(text, earlier)
      case .answers(let answers, let queries):
        if isAwaited { try state.receive(answers, to: queries) }
      case .refusal(.refused(.profileNotFound)):
        if isAwaited { try state.receiveNoAccount() }
        awaited = nil
      case .refusal, .request: awaited = nil
      }
    } catch {
      if case .cancelled = error, let violation { throw violation }
      try restartIfKilled()
      awaited = nil
      return nil
    }
    try restartIfKilled()
    try checkPosition()
    guard isAwaited, awaited != nil else { return nil }
    return state.nextStep()
  }

  private func receive(_ text: String, _ earlier: PersonalLog?) throws(UseCaseError) {
    let log: PersonalLog
    do throws(InputError) { log = try PersonalLog(text: text, since: earlier?.parts ?? []) } catch {
      violation = Violation("personal log unreadable", "\(user): \(error)")
      throw .cancelled
    }
    _ = try state.receive(log)
  }

  private var violation: Violation?

  private func note(_ outcome: CommandOutcome) throws(UseCaseError) {
    if outcomes[outcome.id] != nil {
      violation = Violation("two outcomes", "\(outcome.name) \(outcome.id) of \(user)")
      throw .cancelled
    }
    outcomes[outcome.id] = outcome
  }

  /// Returns the violation if an error does not come from a power failure.
  private func failed(_ error: UseCaseError) -> any Error {
    do {
      try restartIfKilled()
    } catch let violation {
      return violation
    }
    return Interrupted()
  }

  // MARK: Other steps

  func dismiss(_ number: UInt64) throws {
    let all = state.outcomes
    if all.isEmpty { return }
    let outcome = all[Int(number % UInt64(all.count))]
    do throws(UseCaseError) {
      try state.dismiss(outcome.id)
      outcomes[outcome.id] = outcome
      dismissed.insert(outcome.id)
    } catch {
      // The disk may have the dismissal nevertheless.
      try restartAfterDismissal(of: outcome)
    }
    try restartIfKilled()
  }

  private func restartAfterDismissal(of outcome: CommandOutcome) throws {
    let was = (outcomes[outcome.id], promised[outcome.id])
    (outcomes[outcome.id], promised[outcome.id]) = (nil, nil)
    try restartIfKilled()
    if !state.outcomes.contains(where: { $0.id == outcome.id }) { dismissed.insert(outcome.id) }
    (outcomes[outcome.id], promised[outcome.id]) = was
  }

  /// Lets another process of the app follow, and checks that it sees the same.
  func checkWidget() throws {
    do throws(UseCaseError) {
      if widget == nil {
        widget = try OfflineState(
          OfflineFolder("/phone", power.disk.files), of: user, core: core, environment)
      }
      try widget?.follow()
    } catch {
      return try restartIfKilled()
    }
    guard let widget else { return }
    try check(!widget.isWriter, "two writers", "of \(user)")
    try check(
      widget.pending.map(\.id) == state.pending.map(\.id)
        && widget.reading?.log.position == state.reading?.log.position
        && widget.outcomes.map(\.id) == state.outcomes.map(\.id), "stale widget",
      "of \(user): \(widget.pending.count) of \(state.pending.count) pending commands, position "
        + "\(widget.reading?.log.position ?? 0) of \(state.reading?.log.position ?? 0)")
    state.settle()
    self.widget?.settle()
    for name in ["GetFollowing", "GetFriends", "GetSentRequests", "GetFeed", "GetConversations"] {
      guard let entry = Queries.find(name), let mine = state.reading,
        let other = self.widget?.reading
      else { continue }
      try check(
        (try? mine.answer(entry, .object([]))) == (try? other.answer(entry, .object([]))),
        "stale widget", "\(name) of \(user)")
    }
    try restartIfKilled()
  }

  func remember(_ answer: RememberedAnswer) throws {
    try? state.remember(answer)
    try restartIfKilled()
  }

  private func checkPosition() throws {
    let now = state.reading?.log.position ?? position
    try check(now >= position, "reads went back", "\(user) from \(position) to \(now)")
    position = now
  }
}

/// The phone lost power.
struct Interrupted: Error {}

/// A phone's clock: the simulation's, with a difference that can jump.
private final class Skew: Sendable {
  private let clock: SimulatedClock
  private let difference = Guarded(Int64(0))

  init(_ clock: SimulatedClock) { self.clock = clock }

  var now: Timestamp {
    Timestamp(milliseconds: max(0, clock.now.milliseconds + difference.withLock { $0 }))
  }

  func jump(by milliseconds: Int64) { difference.withLock { $0 = milliseconds } }
}
