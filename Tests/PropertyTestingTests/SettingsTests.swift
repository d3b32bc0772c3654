import Testing

@testable import PropertyTesting

@Suite struct SettingsTests {
  @Test("The environment decides over runs and seed")
  func environment() throws {
    func settings(_ runs: String?, _ seed: String?) throws -> Settings {
      try Settings(
        runs: 100, seed: 1,
        environment: ["EVENTLOG_TEST_RUNS": runs, "EVENTLOG_TEST_SEED": seed].compactMapValues {
          $0
        })
    }
    #expect(try settings(nil, nil).runs == 100 && settings(nil, nil).seed == 1)
    #expect(try settings("", "").runs == 100)
    #expect(try settings("7", "9").runs == 7 && settings("7", "9").seed == 9)
    #expect(try settings("x3", nil).runs == 300)
    #expect(try settings(nil, "random").seed != settings(nil, "random").seed)
    for (runs, seed) in [("no", nil), ("-1", nil), ("0", nil), (nil, "no"), (nil, "-1")] {
      #expect(throws: CheckError.self) { try settings(runs, seed) }
    }
  }
}
