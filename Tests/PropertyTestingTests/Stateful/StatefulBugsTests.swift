import Foundation
import PropertyTesting
import Testing

/// Twenty stateful bugs of the literature, planted in small types.
///
/// `EVENTLOG_TEST_BUGS=1` prints a row for each bug: the steps of its smallest story, the runs
/// until it was found, and the seconds until it was reported.
@Suite struct StatefulBugsTests {
  static let bugs = PlantedBug.containers + PlantedBug.caches + PlantedBug.races

  @Test("A planted bug is found and shrunk to its smallest story", arguments: bugs)
  func found(_ bug: PlantedBug) async throws {
    let start = ContinuousClock.now
    let found = try await issues {
      try await check(runs: 20_000, seed: 1, file: nowhere) { t in try await bug.property(t, true) }
    }
    let time = ContinuousClock.now - start
    let text = try #require(found.first).text
    let story = text.split(separator: "\n").filter { $0.hasPrefix("  ") }.map {
      String($0.dropFirst(2)).replacing(/\ at [0-9]+…[0-9]*:/, with: ":")
        .replacing(/\ {3}\/\/.*$/, with: "")
    }
    #expect(found.count == 1, "\(found.map(\.text))")
    #expect(bug.stories.contains(story), "\(text)")
    if ProcessInfo.processInfo.environment["EVENTLOG_TEST_BUGS"] != nil {
      let run = try #require(text.firstMatch(of: /by run ([0-9]+)/)).output.1
      let seconds = (time / .milliseconds(10)).rounded() / 100
      print("| \(bug.testDescription) | \(story.count) | \(run) | \(seconds) |")
    }
  }

  @Test("The same type without the bug passes", arguments: bugs)
  func passes(_ bug: PlantedBug) async throws {
    try await check(runs: 300, seed: 1) { t in try await bug.property(t, false) }
  }

  @Test("There are twenty bugs")
  func count() { #expect(Self.bugs.count == 20) }
}
