import Dispatch
import Synchronization

/// Threads for work that takes long, which the threads of commands and connections must not do.
///
/// Each piece of work has keys, such as the caller. At most one piece of each key runs at a time,
/// so that one caller does not hold up another. Pieces of work begin in the order in which they
/// were added, as far as this rule allows.
package final class WorkQueue: Sendable {
  private struct Piece {
    let keys: Set<String>
    let work: @Sendable () -> Void
  }

  private struct State {
    var running = 0
    /// The keys of the running pieces.
    var keys: Set<String> = []
    var waiting: [Piece] = []
  }

  private let threads: DispatchQueue
  private let (most, mostWaiting): (Int, Int)
  private let state = Mutex(State())

  /// Creates a queue.
  /// - Parameters:
  ///   - most: the most pieces of work that run at once.
  ///   - mostWaiting: the most pieces of work that wait.
  package init(_ label: String, most: Int, mostWaiting: Int = .max) {
    threads = DispatchQueue(label: label, attributes: .concurrent)
    (self.most, self.mostWaiting) = (most, mostWaiting)
  }

  /// Performs a piece of work, and waits for its result.
  /// - Returns: nil if the work is not done, because too many pieces wait.
  package func result<Output: Sendable>(
    for keys: Set<String>, _ work: @escaping @Sendable () -> Output
  ) async -> Output? {
    await withCheckedContinuation { continuation in
      let isAdded = state.withLock { state in
        if state.waiting.count >= mostWaiting { return false }
        state.waiting.append(Piece(keys: keys) { continuation.resume(returning: work()) })
        return true
      }
      if isAdded { begin() } else { continuation.resume(returning: nil) }
    }
  }

  /// Begins the waiting pieces that may run now.
  private func begin() {
    while let next = next() {
      threads.async { [self] in
        next.work()
        state.withLock { state in
          state.running -= 1
          state.keys.subtract(next.keys)
        }
        begin()
      }
    }
  }

  private func next() -> Piece? {
    state.withLock { state in
      guard state.running < most,
        let index = state.waiting.firstIndex(where: { state.keys.isDisjoint(with: $0.keys) })
      else { return nil }
      let next = state.waiting.remove(at: index)
      state.running += 1
      state.keys.formUnion(next.keys)
      return next
    }
  }
}
