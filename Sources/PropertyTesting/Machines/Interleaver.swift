import Synchronization

/// Runs tasks one suspension at a time, in an order that is drawn: what two cores do by chance is
/// done by choice, so that a race that goes wrong can be reproduced.
///
/// Everything that a task awaits on actors without an executor of their own runs here too. Code
/// that starts tasks itself must be given `start`, as in `RuntimeEnvironment(start:)`.
public final class Interleaver: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var clock = 0
  }

  /// The tasks deadlocked, or wait for something that never happens.
  public struct Stuck: Error, CustomStringConvertible {
    public var description: String { "the tasks of a race wait for each other, or for nothing" }
  }

  /// How long to wait with nothing to run while tasks are left, such as for another thread that
  /// writes to a disk.
  let patience: Duration

  private let state = Mutex(State())

  public init(patience: Duration = .seconds(5)) { self.patience = patience }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// Starts a separate task.
  public func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  /// How many pieces of tasks have run; a piece is what runs between two suspensions.
  var clock: Int { state.withLock { $0.clock } }

  /// Runs tasks until all are finished.
  /// - Parameter trial: draws which of the ready tasks runs next, 0 being the one that has waited
  ///   longest; nil always takes that one.
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
    // Finishes tasks that they started and left behind, so that nothing waits for them later.
    for _ in 0..<100_000 { if !runOne(nil) { return } }
  }

  /// - Returns: whether there was anything to run.
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

  /// Runs one task and those it starts, in order.
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
