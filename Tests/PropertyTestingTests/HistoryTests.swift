import Events
import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCases

@Suite struct HistoryTests {
  @Test("A history is one that the domain allows, and every type of event comes up")
  func valid() async throws {
    let types = EventType.allCases.map { ($0.name, 0.005) }
    try await check(
      runs: Sweep.size(300, 900, 30_000), covering: Dictionary(uniqueKeysWithValues: types)
    ) { t in
      let history = t.draw(.history(max: 60))
      for entry in history.entries { t.label(entry.event.type.name) }
      let check = try Check(try await history.log().view())
      #expect(check.findings == [])
      #expect(check.brokenInvariant == nil)
      #expect(check.count == history.count)
    }
  }

  @Test("Counts equal edges: the first example of docs/property-testing.md")
  func countsEqualEdges() async throws {
    try await check(runs: 300, covering: ["an unfollow": 0.05]) { t in
      let history = t.draw(.history(max: 50), "history")
      let user = t.draw(.element(of: ["u1", "u2", "u3"]), "user")
      t.label("an unfollow", if: history.entries.contains { $0.event.type == .userUnfollowed })

      let core = try await Core(history.log())
      let counts = try await GetFollowCounts(core).execute(.init(user: user), as: nil)
      let followers = try await GetFollowers(core).execute(.init(user: user), as: nil)
      #expect(counts.followers == followers.count)
    }
  }

  @Test("A hostile history is a log all the same, and much of it is forbidden")
  func hostile() async throws {
    try await check(runs: 200, covering: ["forbidden": 0.8]) { t in
      let history = t.draw(.hostileHistory(max: 40))
      let check = try Check(try await history.log().view())
      t.label("forbidden", if: !check.findings.isEmpty)
      #expect(check.brokenInvariant == nil)
    }
  }

  @Test("Its lines are a log that opens, with the same events")
  func lines() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "a.jsonl")
      try await check(runs: 50) { t in
        let history = t.draw(.history(max: 30))
        try history.lines.write(to: path, atomically: true, encoding: .utf8)
        var (names, entries) = (Names(), [History.Entry]())
        try LogView.unsealed(path: path.path).forEachTypedEvent(&names) { event, actor, moment in
          entries.append(History.Entry(event: event, actor: actor, time: moment.time))
        }
        let read = History(names: names, entries: entries)
        #expect(read.newEvents == history.newEvents)
        #expect(history.prefix(3).count == min(3, history.count))
      }
    }
  }
}
