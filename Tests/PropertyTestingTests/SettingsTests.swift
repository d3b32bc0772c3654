import Events
import FaultTesting
import Foundation
import Testing

@testable import PropertyTesting

@Suite struct SettingsTests {
  @Test("The environment overrides the number of runs and the seed")
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

  @Test("Each day has a seed of its own, unless the call, the corpus or the environment fixes it")
  func days() throws {
    func seed(
      _ seed: UInt64? = nil, _ fixed: UInt64? = nil, at time: String,
      _ environment: [String: String] = [:]
    ) throws -> UInt64 {
      let now = try #require(Timestamp(time)).milliseconds
      return try Settings(runs: 1, seed: seed, fixed: fixed, now: now, environment: environment)
        .seed
    }
    #expect(try seed(at: "2026-01-31T00:00:00.000Z") == 20_260_131_000_000)
    #expect(try seed(at: "2026-01-31T23:59:59.999Z") == 20_260_131_000_000)
    #expect(try seed(at: "2026-02-01T00:00:00.000Z") == 20_260_201_000_000)
    #expect(try seed(nil, 3, at: "2026-02-01T00:00:00.000Z") == 3)
    #expect(try seed(0, 3, at: "2026-02-01T00:00:00.000Z") == 0)
    let environment = ["EVENTLOG_TEST_SEED": "7"]
    #expect(try seed(0, 3, at: "2026-02-01T00:00:00.000Z", environment) == 7)
  }

  @Test("A file `seed` in the corpus fixes the seed of the tests beside it")
  func corpus() async throws {
    try await withFolder { folder in
      let corpus = folder.appending(path: "Corpus")
      try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
      let (file, path) = (corpus.appending(path: "seed"), folder.appending(path: "A.swift").path)
      func report() async throws -> String {
        let found = try await issues {
          try await check(shrinks: 0, file: path) { t in
            #expect(t.draw(.bool) == t.draw(.bool) && t.draw(.bool))
          }
        }
        return try #require(found.first).text
      }
      try "17\n".write(to: file, atomically: true, encoding: .utf8)
      #expect(try await report().contains("\nseed 17; "))
      try "often\n".write(to: file, atomically: true, encoding: .utf8)
      await #expect(throws: CheckError.noNumber("often", variable: file.path)) {
        try await check(file: path) { _ in }
      }
    }
  }

  @Test("The labels of the runs are shown with their shares, in order, only on request")
  func labels() async throws {
    var campaign = Campaign(runs: 8, seed: 0) { trial in
      trial.label(trial.draw(.bool) ? "events: 10" : "events: 9")
      trial.label("all")
      return .passed
    }
    _ = await campaign.run()
    let tens = campaign.labels["events: 10", default: 0]
    #expect(
      campaign.spread == [
        "  8 runs", "  100.0 %  all", "  \(Double(8 - tens) * 12.5) %  events: 9",
        "  \(Double(tens) * 12.5) %  events: 10",
      ])
    func shows(_ text: String?) throws -> Bool {
      let environment = ["EVENTLOG_TEST_LABELS": text].compactMapValues { $0 }
      return try Settings(runs: 1, seed: 0, environment: environment).showsLabels
    }
    #expect(try shows("1") && !shows("0") && !shows("") && !shows(nil))
  }

  @Test("The spread of histories is the one that docs/property-testing.md shows")
  func spread() async throws {
    var campaign = Campaign(runs: 400, seed: 0) { trial in
      trial.label(trial.draw(.history(max: 50)))
      return .passed
    }
    _ = await campaign.run()
    let path = repository.appending(path: "docs/property-testing.md")
    let document = try String(contentsOf: path, encoding: .utf8)
    let spread = campaign.spread.joined(separator: "\n")
    #expect(document.contains("\n\(spread)\n```\n"), "\(spread)")
  }
}
