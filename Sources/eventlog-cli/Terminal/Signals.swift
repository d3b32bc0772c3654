/// The requests that a serving command receives by signals.
enum Signals {
  private static let stop = Atomic(false)
  private static let reload = Atomic(false)

  /// Installs the signal handlers. SIGTERM and Ctrl-C request a stop; a second one ends the process
  /// at once. SIGHUP requests that the keys are read again.
  static func take() {
    for number in [SIGTERM, SIGINT] {
      signal(number) { number in
        Signals.stop.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
    signal(SIGHUP) { _ in Signals.reload.store(true, ordering: .relaxed) }
  }

  static var shouldStop: Bool { stop.load(ordering: .relaxed) }

  /// Returns true once after each request to read the keys again.
  static func takeReload() -> Bool { reload.exchange(false, ordering: .relaxed) }
}
