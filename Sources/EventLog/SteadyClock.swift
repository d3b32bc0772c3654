import Events
import Synchronization

/// The clock of a program that runs for long: it does not follow a system clock that jumps.
///
/// One wrong time would stay in a log for ever, since no later event may be earlier. A jump is a
/// move by more than a day other than that of the clock for waits. After one, this clock goes on
/// from its last time with the clock for waits, until the system clock is within a day of it again.
public final class SteadyClock: Sendable {
  /// The greatest difference between the system clock and this clock, in milliseconds.
  private static let most: Int64 = 86_400_000

  private struct State {
    var time: Timestamp?
    var instant: ContinuousClock.Instant
    var isAlone = false
  }

  private let environment: RuntimeEnvironment
  private let report: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Creates a clock.
  /// - Parameters:
  ///   - environment: has the system clock and the clock for waits.
  ///   - report: called with a sentence when the system clock jumps, and when it is right again.
  public init(
    _ environment: RuntimeEnvironment = .system, report: @escaping @Sendable (String) -> Void
  ) {
    (self.environment, self.report) = (environment, report)
    state = Mutex(State(time: nil, instant: environment.instant()))
  }

  /// Returns the present time.
  public func now() -> Timestamp {
    let (system, instant) = (environment.now(), environment.instant())
    let (time, said) = state.withLock { state -> (Timestamp, String?) in
      let waited = (instant - state.instant).components
      let passed = waited.seconds * 1_000 + waited.attoseconds / 1_000_000_000_000_000
      let expected = state.time.map { $0.milliseconds + passed } ?? system.milliseconds
      let isAlone = abs(system.milliseconds - expected) > Self.most
      let time = isAlone ? Timestamp(milliseconds: expected) : system
      var said: String?
      if isAlone != state.isAlone {
        said =
          isAlone
          ? "the system's clock jumped to \(system); events go on from \(time). Set the clock "
            + "right, or restart if it is right now"
          : "the system's clock is right again: \(system)"
      }
      state = State(time: time, instant: instant, isAlone: isAlone)
      return (time, said)
    }
    if let said { report(said) }
    return time
  }
}

extension RuntimeEnvironment {
  /// Returns the system's environment with a `SteadyClock`.
  public static func steady(
    report: @escaping @Sendable (String) -> Void
  ) -> RuntimeEnvironment {
    let clock = SteadyClock(report: report)
    var environment = RuntimeEnvironment.system
    environment.now = { clock.now() }
    return environment
  }
}
