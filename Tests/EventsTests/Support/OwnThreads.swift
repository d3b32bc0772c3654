import Dispatch

/// Runs tasks on threads of its own, so that those that block take none from other tests.
///
/// The pool that all tests share has a thread a core: where one of them is blocked until the others
/// have run, a busy machine may let it wait for as long as the rest of the suite takes.
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
