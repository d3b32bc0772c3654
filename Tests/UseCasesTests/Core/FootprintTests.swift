import Events
import FaultTesting
import PropertyTesting
import Testing

@testable import UseCases

@Suite struct FootprintTests {
  private static let queries: [Registry.Entry] = Registry.all.filter {
    !$0.writes && !$0.about.name.hasPrefix("Refresh")
  }

  /// Checks, after each event of a history, that every query whose answer changed was touched.
  private func checkTouches(_ history: GeneratedHistory, _ t: Trial) async throws {
    var environment = RuntimeEnvironment.system
    let end = history.entries.last?.time ?? .epoch
    environment.now = { end }
    let log = InMemoryLog(environment)
    let core = try await Core(log, rules: .erg, environment: environment)
    let calls = (0..<30).compactMap { _ -> Call? in
      let request = t.draw(.request())
      guard Self.queries.contains(where: { $0.about.name == request.name }) else { return nil }
      return try? Call(request, of: .standard, image: Fields.dataURI)
    }
    var known = try calls.map { try #require(core.followed($0)) }
    _ = core.takeTouched()
    var (changed, skipped) = (0, 0)
    for event in history.newEvents {
      for result in await log.append([Commit([event])]) { _ = try result.get() }
      try await core.catchUp()
      let touched = core.takeTouched()
      for (index, call) in calls.enumerated() {
        let now = try #require(core.followed(call))
        let isTouched = known[index].footprint.isTouched(by: touched)
        if now.reply != known[index].reply {
          changed += 1
          #expect(isTouched, "\(call.name) by \(call.caller) changed after \(event.unsealedLine)")
        } else if !isTouched {
          skipped += 1
        }
        known[index] = now
      }
    }
    t.label("changed", if: changed > 0)
    t.label("skipped", if: skipped > 0)
  }

  @Test("An event that changes an answer touches the ids on which the answer depends")
  func touches() async throws {
    try await check(runs: Sweep.size(50, 150, 150), covering: ["changed": 0.2, "skipped": 0.5]) {
      t in
      try await checkTouches(t.draw(.history(max: 60)), t)
    }
  }

  @Test("An event of a hostile history that changes an answer touches its ids")
  func hostile() async throws {
    try await check(runs: Sweep.size(50, 150, 150)) { t in
      try await checkTouches(t.draw(.hostileHistory(max: 60)), t)
    }
  }
}
