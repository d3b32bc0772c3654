import Synchronization

/// A task executor that runs one task at a time until it suspends. The test case determines which
/// task runs next.
///
/// So the order does not depend on threads, and a failing race can be reproduced. Code that a task
/// awaits on an actor without its own executor runs here too. Code under test must start its own
/// tasks with `start`, for example through `RuntimeEnvironment(start:)`.
public final class Interleaver: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var clock = 0
  }

  /// The error for a deadlock: some tasks have not finished, but none of them can run.
  public struct Stuck: Error, CustomStringConvertible {
    /// A sentence for the test's report.
    public var description: String {
      "the tasks of a race are deadlocked, or wait for an event that never happens"
    }
  }

  /// The time to wait while no task can run, for example because another thread writes to a disk.
  let patience: Duration
  /// With a shorter patience, `run` does not let other tasks have the thread. In a run of many
  /// tests, these may keep it for seconds.
  private static let shortPatience = Duration.milliseconds(1)

  private let state = Mutex(State())

  /// Creates an executor. If no task can run for `patience`, `run` throws `Stuck`.
  public init(patience: Duration = .seconds(5)) { self.patience = patience }

  /// Queues a job, which runs when the executor chooses it. The Swift runtime calls this.
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

  /// Runs the bodies as concurrent tasks until all are finished.
  /// - Parameter trial: draws which ready task runs next; 0 is the task that has waited longest. If
  ///   nil, the task that has waited longest always runs next.
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
        if patience >= Self.shortPatience { await Task.yield() }
      }
    }
    // Also runs the tasks that the bodies started, so that later code does not wait for them.
    for _ in 0..<100_000 { if !runOne(nil) { return } }
  }

  /// Runs one piece of a task. Returns false if no task was ready.
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

  /// Runs a body and the tasks it starts, as they become ready, and returns the body's result.
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
