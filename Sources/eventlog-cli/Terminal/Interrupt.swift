import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ctrl-C while something is being written: it asks the work to stop between two writes, so that
/// nothing is left half-written. A second one ends the process at once, as it does where nothing
/// is written.
enum Interrupt {
  private static let asked = Atomic(false)

  /// From now on Ctrl-C only asks.
  static func `defer`() {
    asked.store(false, ordering: .relaxed)
    signal(SIGINT) { _ in
      Interrupt.asked.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// From now on Ctrl-C ends the process again.
  static func end() { signal(SIGINT, SIG_DFL) }

  static var isAsked: Bool { asked.load(ordering: .relaxed) }

  /// Cancels the task that calls it, if it was asked to stop.
  static func cancelTask() {
    if isAsked { withUnsafeCurrentTask { $0?.cancel() } }
  }

  /// Stops what can be stopped, between two writes.
  /// - Throws: exit code 130, as the shells have it, with what is there.
  static func check(_ done: @autoclosure () -> String) throws(Failure) {
    if isAsked { throw Failure(.interrupted, "interrupted: \(done())") }
  }
}
