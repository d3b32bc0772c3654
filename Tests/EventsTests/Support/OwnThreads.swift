import Dispatch

/// Runs tasks on its own threads, so that blocked tasks take no threads from other tests.
///
/// All tests share a pool with one thread per core. If a task there blocks until others have run,
/// it can wait for the rest of the suite on a busy machine.
final class OwnThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "own threads", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs a body and the tasks it starts as its children.
  static func run(_ body: @Sendable () async throws -> Void) async throws {
    try await withTaskExecutorPreference(OwnThreads()) { try await body() }
  }
}
