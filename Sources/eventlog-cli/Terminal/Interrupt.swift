/// The handling of Ctrl-C. While a command writes, the first Ctrl-C only requests a stop between
/// two writes, so that nothing is half-written. A second Ctrl-C, and any at other times, ends the
/// process at once.
enum Interrupt {
  private static let asked = Atomic(false)

  /// Makes the next Ctrl-C only request a stop.
  static func `defer`() {
    asked.store(false, ordering: .relaxed)
    signal(SIGINT) { _ in
      Interrupt.asked.store(true, ordering: .relaxed)
      signal(SIGINT, SIG_DFL)
    }
  }

  /// Makes Ctrl-C end the process again.
  static func end() { signal(SIGINT, SIG_DFL) }

  static var isAsked: Bool { asked.load(ordering: .relaxed) }

  /// Cancels the calling task if a stop was requested.
  static func cancelTask() {
    if isAsked { withUnsafeCurrentTask { $0?.cancel() } }
  }

  /// Stops between two writes if a stop was requested.
  /// - Throws: exit code 130, as in shells, with a message about the work already done.
  static func check(_ done: @autoclosure () -> String) throws(Failure) {
    if isAsked { throw Failure(.interrupted, "interrupted: \(done())") }
  }
}
