import Dispatch
import Synchronization

/// Threads for work that takes long or waits for the disk, so that it does not hold up connections
/// and commands.
final class Workers: Sendable {
  private struct State {
    var idle: [DispatchQueue]
    var waiting: [@Sendable () -> Void] = []
  }

  private let state: Mutex<State>
  private let count: Int
  private let most: Int

  /// - Parameters:
  ///   - count: the number of jobs that run at once.
  ///   - most: the number of jobs that may wait.
  init(_ name: String, count: Int, most: Int) {
    let queues = (0..<count).map { DispatchQueue(label: "\(name).\($0)") }
    state = Mutex(State(idle: queues))
    (self.count, self.most) = (count, most)
  }

  /// Runs a job on a thread, after the jobs that wait already. Returns false, and does not run the
  /// job, if too many jobs wait.
  func run(_ job: @escaping @Sendable () -> Void) -> Bool {
    let (isTaken, queue) = state.withLock { state -> (Bool, DispatchQueue?) in
      if let queue = state.idle.popLast() { return (true, queue) }
      guard state.waiting.count < most else { return (false, nil) }
      state.waiting.append(job)
      return (true, nil)
    }
    if let queue {
      queue.async { [self] in
        job()
        runOthers(queue)
      }
    }
    return isTaken
  }

  /// Whether no job runs or waits.
  var isIdle: Bool {
    state.withLock { $0.idle.count == count && $0.waiting.isEmpty }
  }

  private func runOthers(_ queue: DispatchQueue) {
    while true {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        if state.waiting.isEmpty {
          state.idle.append(queue)
          return nil
        }
        return state.waiting.removeFirst()
      }
      guard let next else { return }
      next()
    }
  }
}
