import Synchronization

/// A task executor that runs tasks one suspension at a time, in an order that is drawn.
///
/// The drawn order replaces the accidental order of threads, so a failing race can be reproduced.
/// Code that a task awaits on an actor without its own executor runs here too. Code that starts
/// tasks itself must use `start`, for example through `RuntimeEnvironment(start:)`.
public final class Interleaver: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var clock = 0
  }

  /// The error if tasks are left but nothing can run: a deadlock.
  public struct Stuck: Error, CustomStringConvertible {
    /// A sentence for the test's report.
    public var description: String {
      "the tasks of a race are deadlocked, or wait for an event that never happens"
    }
  }

  /// The time to wait while nothing can run, for example for another thread that writes to a disk.
  let patience: Duration

  private let state = Mutex(State())

  /// Creates an executor that throws `Stuck` after `patience` without anything to run.
  public init(patience: Duration = .seconds(5)) { self.patience = patience }

  /// Queues a job until its turn is drawn.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Starts a separate task on this executor.
  public func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  /// The number of pieces of tasks that have run. A piece is the code between two suspensions.
  var clock: Int { state.withLock { $0.clock } }

  /// Runs tasks until all are finished.
  /// - Parameter trial: draws the ready task to run next; 0 is the one that has waited longest. If
  ///   nil, that one always runs.
  func run(_ trial: Trial?, _ bodies: [@Sendable () async -> Void]) async throws {
    let rest = Mutex(bodies.count)
    for body in bodies {
      start {
        await body()
        rest.withLock { $0 -= 1 }
      }
    }
    var idle: ContinuousClock.Instant?
    while rest.withLock({ $0 }) > 0 {
      if runOne(trial) {
        idle = nil
      } else {
        let now = ContinuousClock.now
        if let idle, now - idle > patience { throw Stuck() }
        idle = idle ?? now
        await Task.yield()
      }
    }
    // Finishes the tasks that these started, so that nothing waits for them later.
    for _ in 0..<100_000 { if !runOne(nil) { return } }
  }

  /// Runs one piece of a task. Returns false if there was nothing to run.
  private func runOne(_ trial: Trial?) -> Bool {
    let count = state.withLock { $0.jobs.count }
    guard count > 0 else { return false }
    let bound = UInt64(count - 1)
    let choice = bound == 0 ? 0 : trial?.choose(upTo: bound) { $0.upTo(bound) } ?? 0
    let job = state.withLock { state in
      state.clock += 1
      return state.jobs.remove(at: Int(choice))
    }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs a task and the tasks it starts, in the order in which they become ready.
  func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async throws -> Result
  {
    let result = Mutex(Result?.none)
    try await run(
      nil,
      [
        {
          let value = await body()
          result.withLock { $0 = value }
        }
      ])
    return result.withLock { $0 }!
  }
}
