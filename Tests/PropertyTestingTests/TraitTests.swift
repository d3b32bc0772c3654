import PropertyTesting
import Testing

/// Checks with the traits of Swift Testing, and in tests that run at the same time.
@Suite struct TraitTests {
  /// Expects the one report of a race that loses an update.
  private func expectLostUpdate() async throws {
    let found = try await issues {
      try await check(runs: 1_000, seed: 0, file: nowhere) { t in
        try await t.race(Counter(isBuggy: true), tasks: 2)
      }
    }
    try #require(found.count == 1)
    #expect(found[0].text.contains("task 1 at 2…12: add → 1"), "\(found[0].text)")
    #expect(found[0].text.contains("task 2 at 3…13: add → 1"), "\(found[0].text)")
  }

  @Test("Tests that run at the same time find the same counterexample of a race", arguments: 0..<8)
  func parallel(_ number: Int) async throws { try await expectLostUpdate() }

  @Test("Serialized tests on the main actor find it too", .serialized, arguments: 0..<2)
  @MainActor func onMainActor(_ number: Int) async throws { try await expectLostUpdate() }

  @Test(
    "A check is possible with a time limit and a condition", .timeLimit(.minutes(1)),
    .enabled(if: true))
  func limited() async throws {
    try await check(runs: 100, covering: ["use": 0.7]) { t in try await t.run(CacheMachine()) }
  }
}
