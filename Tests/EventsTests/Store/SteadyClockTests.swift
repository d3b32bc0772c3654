import EventLog
import Events
import Synchronization
import Testing

@Suite struct SteadyClockTests {
  /// A system clock and a clock for waits that a test moves.
  private final class Clocks: Sendable {
    private let state = Mutex((system: Int64(1_800_000_000_000), instant: ContinuousClock.now))
    let said = Mutex<[String]>([])

    func wait(seconds: Int64) {
      state.withLock {
        $0.system += seconds * 1_000
        $0.instant += .seconds(seconds)
      }
    }

    func jump(days: Int64) { state.withLock { $0.system += days * 86_400_000 } }

    var system: Int64 { state.withLock { $0.system } }

    var steady: SteadyClock {
      var environment = RuntimeEnvironment.system
      environment.now = { Timestamp(milliseconds: self.system) }
      environment.instant = { self.state.withLock { $0.instant } }
      return SteadyClock(environment) { text in self.said.withLock { $0.append(text) } }
    }
  }

  @Test("A clock that jumps by more than a day is reported once, and time goes on without it")
  func jump() {
    for days in [Int64(26_000), -400] {
      let clocks = Clocks()
      let clock = clocks.steady
      #expect(clock.now().milliseconds == clocks.system)
      clocks.wait(seconds: 60)
      let before = clock.now().milliseconds
      #expect(before == clocks.system)
      clocks.jump(days: days)
      #expect(clock.now().milliseconds == before)
      clocks.wait(seconds: 1)
      #expect(clock.now().milliseconds == before + 1_000)
      #expect(clocks.said.withLock { $0.count } == 1)
      #expect(clocks.said.withLock { $0[0].contains("clock jumped to") })
      clocks.jump(days: -days)
      #expect(clock.now().milliseconds == clocks.system)
      #expect(clocks.said.withLock { $0.last?.contains("right again") } == true)
    }
  }

  @Test("A clock that is set by less than a day is followed, also in steps over a long time")
  func steps() {
    let clocks = Clocks()
    let clock = clocks.steady
    for _ in 0..<40 {
      clocks.jump(days: 1)
      clocks.wait(seconds: -3_600)
      #expect(clock.now().milliseconds == clocks.system)
    }
    #expect(clocks.said.withLock { $0.isEmpty })
  }
}
