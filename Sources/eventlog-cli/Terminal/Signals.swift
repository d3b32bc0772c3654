/// What a command that serves is asked by signals.
enum Signals {
  private static let stop = Atomic(false)
  private static let reload = Atomic(false)

  /// From now on SIGTERM and Ctrl-C ask to stop, a second one ends the process at once, and SIGHUP
  /// asks to read keys again.
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

  /// True once for each time that it was asked.
  static func takeReload() -> Bool { reload.exchange(false, ordering: .relaxed) }
}
