import EventLog
import Events

/// A process that runs a server, with its clocks and random numbers. It can be paused and killed.
@MainActor final class SimulatedProcess {
  /// The number of the process's server.
  nonisolated let server: Int
  /// The order in which the process began, among all.
  nonisolated let number: Int
  private(set) var isPaused = false
  private(set) var isDead = false
  /// The jobs that wait while the process is paused.
  var jobs: [UnownedJob] = []
  private var waiting: [() -> Void] = []
  /// The calls that have not returned, with functions that make them return.
  private var calls: [Int: () -> Void] = [:]
  private var callsMade = 0
  var random: SplitMix64
  /// The difference of the process's clock, in milliseconds.
  private let skew: Int64

  /// The time at which each simulation begins.
  nonisolated private static let start = Timestamp(milliseconds: 1_767_225_600_000)
  nonisolated private static let firstInstant = ContinuousClock.now

  init(_ server: Int, number: Int, seed: UInt64) {
    (self.server, self.number) = (server, number)
    random = SplitMix64(seed: seed)
    skew = Int64(random.next() % 2_000) - 1_000
  }

  /// Performs an event of the process: later if it is paused, and never if it has ended.
  func perform(_ event: @escaping () -> Void) {
    if isDead { return }
    if isPaused { return waiting.append(event) }
    Scheduler.shared.within(self, event)
  }

  func pause() { if !isDead { isPaused = true } }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    Scheduler.shared.enqueue(jobs, of: self)
    let events = waiting
    (jobs, waiting) = ([], [])
    for event in events { perform(event) }
  }

  /// Ends the process. Its calls return and its waits are over, so that its tasks run to their end
  /// without effects and free their memory.
  /// - Parameter tasks: tasks that run until they are cancelled.
  func kill(_ tasks: [Task<Void, Never>]) {
    (isDead, isPaused) = (true, false)
    Scheduler.shared.enqueue(jobs, of: self)
    (jobs, waiting) = ([], [])
    let open = calls.sorted { $0.key < $1.key }
    calls = [:]
    for call in open { call.value() }
    // They answer the requests under way before they end.
    Scheduler.shared.runJobs(limit: 500)
    for task in tasks { task.cancel() }
    Scheduler.shared.runJobs(limit: 20_000)
    Scheduler.shared.dropJobs(of: self)
  }

  // MARK: Calls that take time

  /// Suspends the calling task until the function that `begin` receives is called.
  /// - Parameter atDeath: the result if the process ends first.
  nonisolated func wait<Result: Sendable>(
    atDeath: Result, _ begin: @escaping @MainActor (@escaping @MainActor (Result) -> Void) -> Void
  ) async -> Result {
    await withUnsafeContinuation { continuation in
      onMain { self.register(continuation, atDeath, begin) }
    }
  }

  private func register<Result: Sendable>(
    _ continuation: UnsafeContinuation<Result, Never>, _ atDeath: Result,
    _ begin: @MainActor (@escaping @MainActor (Result) -> Void) -> Void
  ) {
    let finish: @MainActor (Result) -> Void = { [self] result in
      Scheduler.shared.within(self) { continuation.resume(returning: result) }
    }
    if isDead { return finish(atDeath) }
    callsMade += 1
    let number = callsMade
    calls[number] = { finish(atDeath) }
    begin { [self] result in
      if calls.removeValue(forKey: number) != nil { finish(result) }
    }
  }

  nonisolated func sleep(_ duration: Duration) async {
    await wait(atDeath: ()) { finish in Scheduler.shared.after(duration) { finish(()) } }
  }

  /// The process's present time.
  var time: Timestamp {
    let passed = Int64(Scheduler.shared.now / .milliseconds(1))
    return Timestamp(milliseconds: Self.start.milliseconds + passed + skew)
  }

  /// The present instant. In a process that has ended, all waits are over.
  private var instant: ContinuousClock.Instant {
    Self.firstInstant + (isDead ? .seconds(1_000_000) : Scheduler.shared.now)
  }

  nonisolated var environment: RuntimeEnvironment {
    var environment = RuntimeEnvironment(
      now: { onMain { self.time } },
      random: { onMain { (self.random.next(), self.random.next()) } })
    environment.instant = { onMain { self.instant } }
    environment.sleep = { await self.sleep($0) }
    return environment
  }
}
