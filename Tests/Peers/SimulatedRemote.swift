import EventLog
import Events
import Synchronization

/// A process's connections to the database. Repeats a statement whose answer was lost, as
/// `PostgresRemote` does.
final class SimulatedRemote: RemoteLog, WriterLease {
  /// The outcome of sending a statement once.
  private enum Sent<Value: Sendable>: Sendable {
    case answer(Value)
    case lost, unreachable
  }

  let name = "shared"
  private let process: SimulatedProcess
  private let network: SimulatedNetwork
  private let knowsLease: Bool
  private let announcements: Announcements
  private let caller: EventID
  private let term = Mutex<Int64?>(nil)
  private static let patience = Duration.seconds(30)

  /// - Parameters:
  ///   - knowsLease: false for a version without leases, which appends by the log's end alone.
  ///   - hears: whether the database's announcements arrive.
  init(
    _ process: SimulatedProcess, _ network: SimulatedNetwork, knowsLease: Bool, hears: Bool
  ) {
    (self.process, self.network) = (process, network)
    self.knowsLease = knowsLease
    announcements = onMain {
      let announcements = Announcements()
      if hears { network.listen(process) { announcements.hear($0) } }
      return announcements
    }
    let random = process.environment.random()
    caller = EventID(high: random.0, low: random.1)
  }

  // MARK: Statements

  private func once<Value: Sendable>(
    _ statement: @escaping @MainActor (SimulatedDatabase) -> Value
  ) async -> Sent<Value> {
    await process.wait(atDeath: .unreachable) { [process, network] finish in
      network.call(process, statement) { outcome in
        switch outcome {
        case .answer(let value): finish(.answer(value))
        case .lost: finish(.lost)
        case .unreachable: finish(.unreachable)
        }
      }
    }
  }

  private func trying<Value: Sendable>(
    _ statement: @escaping @MainActor (SimulatedDatabase) -> Value
  ) async throws(LogError) -> Value {
    let environment = process.environment
    let start = environment.instant()
    var (wait, isLost) = (10, false)
    while true {
      switch await once(statement) {
      case .answer(let value): return value
      case .lost: isLost = true
      case .unreachable: if !isLost { throw fault(.unreachable(name, reason: "cut")) }
      }
      guard environment.instant() - start < Self.patience, !Task.isCancelled else {
        throw fault(.unknownOutcome(name, reason: "cut"))
      }
      await environment.sleep(.milliseconds(wait))
      wait = min(wait * 2, 500)
    }
  }

  private func fault(_ fault: RemoteFault) -> LogError { .store(StoreFailure(fault)) }

  // MARK: The log

  func head() async throws(LogError) -> RemoteHead { try await trying { $0.head } }

  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8] {
    try await trying { $0.lines(after: position, limit: limit) }
  }

  func sum(at position: UInt64) async throws(LogError) -> UInt64? {
    try await trying { $0.sum(at: position) }
  }

  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer {
    while true {
      let term = term.withLock { $0 } ?? -1
      let answer = try await trying { [caller] in $0.append(batch, caller, term: term) }
      switch answer {
      case .appended: return .appended
      case .moved(let head): return .moved(head)
      case .used:
        return .used(try await uses(of: batch.uses.map(\.use.tail)))
      case .notWriter: throw fault(.notWriter(name))
      case .notYourTurn: await process.sleep(.milliseconds(5))
      case .refused(let reason): throw fault(.refused(name, reason: reason))
      }
    }
  }

  func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse] {
    try await trying { $0.uses(of: tails) }
  }

  func rewritings() async throws(LogError) -> Rewritings { Rewritings() }

  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer {
    throw fault(.refused(name, reason: "nothing is rewritten here"))
  }

  func rules() async throws(LogError) -> RecordedRules { try await trying { $0.recordedRules() } }

  func record(_ rules: RecordedRules) async throws(LogError) {
    guard try await trying({ $0.record(rules) }) else {
      throw fault(.refused(name, reason: "the log records other rules"))
    }
  }

  func awaitEvents(within duration: Duration) async -> UInt64? {
    await process.wait(atDeath: nil) { [announcements] finish in
      Scheduler.shared.after(duration) { finish(nil) }
      announcements.take(finish)
    }
  }

  // MARK: The lease

  var lease: (any WriterLease)? { knowsLease ? self : nil }

  func hold(at address: String, for duration: Duration) async throws(LogError) -> LeaseState {
    let answer = await once { [caller] in $0.hold(caller, at: address, for: duration) }
    guard case .answer(var state) = answer else {
      throw fault(.unreachable(name, reason: "cut"))
    }
    if SimulatedBug.holdsForEver.isPlanted, (term.withLock { $0 } ?? 0) > 0 {
      state.isHeld = true
      return state
    }
    term.withLock { $0 = state.isHeld ? state.term : 0 }
    return state
  }

  func release() async throws(LogError) {
    term.withLock { $0 = 0 }
    _ = await once { [caller] in $0.release(caller) }
  }

  func secret() async throws(LogError) -> [UInt8] { try await trying { $0.secret } }
}

/// The last announcement that a process has not taken yet.
@MainActor private final class Announcements {
  private var position: UInt64?
  private var finish: ((UInt64?) -> Void)?

  func hear(_ position: UInt64) {
    self.position = position
    deliver()
  }

  /// Passes the next announcement to a function.
  func take(_ finish: @escaping (UInt64?) -> Void) {
    self.finish = finish
    deliver()
  }

  private func deliver() {
    guard let position, let finish else { return }
    (self.position, self.finish) = (nil, nil)
    finish(position)
  }
}
