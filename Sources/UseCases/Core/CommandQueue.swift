import EventLog
import Events
import Synchronization

/// The commands that wait for the task that decides and appends them.
struct CommandQueue {
  enum Item {
    case command(QueuedCommand)
    /// A function to run between two batches, after all earlier commands have been answered.
    case between(@Sendable () async -> Void)
  }

  /// The maximum number of commands in a batch, which are appended together.
  static let batchLimit = 4_096

  var items: [Item] = []
  var isRunning = false
}

struct QueuedCommand: Sendable {
  let call: Call
  let decide: Call.Decide
  let reply: @Sendable (Outcome) -> Void
}

/// The outcomes of several commands, in the order of the commands.
private final class Outcomes: Sendable {
  private let outcomes = Mutex<[Outcome]>([])

  func add(_ outcome: Outcome) -> Int {
    outcomes.withLock {
      $0.append(outcome)
      return $0.count
    }
  }

  var all: [Outcome] { outcomes.withLock { $0 } }
}

/// A report about one batch: commands that were appended together.
public struct CommandBatchReport: Sendable {
  /// The number of commands, including those that appended nothing.
  public var commands: Int
  /// The number of events that the commands decided.
  public var events: Int
  /// The time that the append took.
  public var duration: Duration
  /// The error if some or all of the batch's commits were not appended; otherwise nil.
  public var failure: LogError?
}

extension Core {
  /// Adds items to the queue, and starts a task that processes them unless one is running.
  func submit(_ items: [CommandQueue.Item]) {
    let runs = queue.withLock { queue in
      queue.items += items
      if queue.isRunning { return false }
      queue.isRunning = true
      return true
    }
    if runs { environment.start { await self.run() } }
  }

  /// Performs commands in order, as one batch if possible, and waits for all of them.
  package func outcomes(of commands: [(call: Call, decide: Call.Decide)]) async -> [Outcome] {
    if commands.isEmpty { return [] }
    let outcomes = Outcomes()
    await withCheckedContinuation { continuation in
      submit(
        commands.map { call, decide in
          .command(
            QueuedCommand(call: call, decide: decide) { outcome in
              if outcomes.add(outcome) == commands.count { continuation.resume() }
            })
        })
    }
    return outcomes.all
  }

  private func run() async {
    while true {
      let items = queue.withLock { queue in
        let items = queue.items
        queue.items = []
        queue.isRunning = !items.isEmpty
        return items
      }
      if items.isEmpty { return }
      var batch: [QueuedCommand] = []
      for item in items {
        if case .command(let command) = item {
          batch.append(command)
          if batch.count < CommandQueue.batchLimit { continue }
        }
        await process(batch)
        batch = []
        if case .between(let body) = item { await body() }
      }
      await process(batch)
      saveCheckpointIfDue()
    }
  }

  /// Waits until `body` has run between two batches.
  func betweenBatches(
    _ body: @escaping @Sendable () async throws(LogError) -> Void
  ) async throws(UseCaseError) {
    let error: LogError? = await withCheckedContinuation { continuation in
      submit([
        .between {
          do throws(LogError) {
            try await body()
            continuation.resume(returning: nil)
          } catch {
            continuation.resume(returning: error)
          }
        }
      ])
    }
    if let error { throw .log(error) }
  }

  /// Decides a batch of commands, appends their events and answers them. After a conflict, decides
  /// the unanswered commands again.
  ///
  /// First reads the events that other writers appended. The store detects a commit that was
  /// decided on an old state, but it never sees a refusal, nor a command that changes nothing.
  private func process(_ batch: [QueuedCommand]) async {
    var rest = batch[...]
    while !rest.isEmpty {
      let decisions: [Decision]
      do throws(LogError) {
        if try await store.head() > position { try await readOthers() }
        let used = try await usedKeys(of: rest)
        decisions = try await asking { $0.model.decide(rest, used, for: self) }
      } catch {
        return fail(rest, error)
      }
      if await isOutdated(decisions) {
        state.withLock { $0.model.takeBack(decisions) }
        continue
      }
      let commits = decisions.compactMap(\.commit)
      let results = await append(commits, of: rest.count)
      var outcomes: [Outcome]?
      do throws(LogError) {
        let replies = try await asking(keepsNumbers: true) { state in
          // If `asking` calls this again after a rebuild, the state already includes the decided
          // events.
          let again = outcomes.map { state.model.outcomes($0, of: decisions) }
          outcomes = again ?? state.model.conclude(decisions, results)
          state.notify()
          return outcomes ?? []
        }
        tracing.refusals?.add(decisions.prefix(replies.count).flatMap(\.refused))
        for (command, outcome) in zip(rest, replies) { command.reply(outcome) }
      } catch {
        fail(rest.prefix(outcomes?.count ?? 0), error)
      }
      rest = rest.dropFirst(outcomes?.count ?? 0)
    }
  }

  private func fail(_ batch: ArraySlice<QueuedCommand>, _ error: LogError) {
    for command in batch {
      command.reply(Outcome(result: .failure(.log(error)), position: position))
    }
  }

  /// Returns the earlier uses of the commands' retry keys, on this machine or another machine.
  private func usedKeys(
    of batch: ArraySlice<QueuedCommand>
  ) async throws(LogError) -> [UInt64: KeyUse] {
    let tails = batch.compactMap(\.call.key?.tail)
    if tails.isEmpty { return [:] }
    var used: [UInt64: KeyUse] = [:]
    for (tail, use) in zip(tails, try await store.uses(of: tails)) { used[tail] = use }
    return used
  }

  /// Returns whether a command without a commit may have been decided on an old state, because
  /// other machines have appended to the shared log since.
  ///
  /// Asks the shared log, which costs a round trip, only if a command was refused, or changes
  /// nothing. A commit that was decided on an old state fails anyway.
  private func isOutdated(_ decisions: [Decision]) async -> Bool {
    let isUnchecked = decisions.contains { $0.commit == nil }
    guard isUnchecked, let latest = try? await store.latest() else { return false }
    return latest > position
  }

  private func append(
    _ commits: [Commit], of commands: Int
  ) async -> [Result<Appended, LogError>] {
    if commits.isEmpty { return [] }
    guard let report = state.withLock({ $0.watchesBatches }) else {
      return await store.append(commits)
    }
    let start = ContinuousClock.now
    let results = await store.append(commits)
    var failure: LogError?
    if case .failure(let error)? = results.last { failure = error }
    report(
      CommandBatchReport(
        commands: commands, events: commits.reduce(0) { $0 + $1.events.count },
        duration: ContinuousClock.now - start, failure: failure))
    return results
  }

  /// Calls `report` after each append of a batch of commands, on the task that appends.
  public func watchBatches(_ report: @escaping @Sendable (CommandBatchReport) -> Void) {
    state.withLock { $0.watchesBatches = report }
  }

  /// Reads the events that other writers appended, until the event at a position.
  ///
  /// Asks a shared log only until it answers. If its answer is an earlier position, nobody has
  /// appended the event yet, and the clone hears of it like of all other events.
  /// - Returns: false if that takes longer than `patience`.
  package func reach(_ position: UInt64, within patience: Duration) async -> Bool {
    let end = environment.instant() + patience
    var asks = true
    while self.position < position {
      if asks, let head = try? await store.head(), head < position,
        (try? await store.latest()) != nil
      {
        asks = false
      }
      try? await catchUp()
      if self.position >= position { break }
      if environment.instant() >= end { return false }
      await environment.sleep(.milliseconds(5))
    }
    return true
  }

  /// Reads and applies the events that other writers appended after the model's position.
  func readOthers() async throws(LogError) {
    do throws(LogError) {
      try await readOn()
    } catch {
      // Names from a damaged checkpoint can make a valid line look invalid.
      _ = try await rebuild()
      try await readOn()
    }
  }

  private func readOn() async throws(LogError) {
    var (names, position) = state.withLock { ($0.model.names, $0.model.head.seq) }
    var events: [(Event, Moment)] = []
    let reached = try await store.catchUp(after: position, unknown: unknown, &names) {
      event, _, moment in events.append((copy event, moment))
    }
    state.withLock { state in
      state.failure = nil
      guard let reached else { return }
      state.model.names = names
      for (event, moment) in events { state.model.apply(event, at: moment) }
      state.model.head = reached
      state.model.views.settle()
      state.notify()
    }
  }
}

extension Core.State {
  func notify() {
    for observer in observers.values { observer.yield() }
  }
}
