import Events
import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCases

@Suite struct HistoryTests {
  @Test("The domain allows every event of a history, and every type of event occurs")
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

  @Test("Histories are like real ones: sizes, popularity, bursts, ex-friends, deletions")
  func likeness() async throws {
    try await check(
      runs: 400,
      covering: [
        "events: 0": 0.03, "events: 1-4": 0.05, "events: 5-9": 0.05, "events: 10-19": 0.1,
        "events: 20-49": 0.4, "events: 50-99": 0.03, "most followers: 1": 0.1,
        "most followers: 2": 0.1, "most followers: 3": 0.05, "most followers: 4": 0.04,
        "most followers: 5": 0.03, "most followers: 6": 0.01, "unfollowed": 0.3,
        "followed again": 0.1, "ex-friends": 0.07, "asked again": 0.04, "account deleted": 0.08,
        "workout removed": 0.1, "comment removed": 0.07, "burst": 0.1, "pause": 0.5,
      ]
    ) { t in t.label(t.draw(.history(max: 50))) }
  }

  @Test("Hostile histories have a similar spread, and also events about deleted accounts")
  func hostileLikeness() async throws {
    try await check(
      runs: 400,
      covering: [
        "events: 0": 0.03, "events: 1-4": 0.05, "events: 5-9": 0.05, "events: 10-19": 0.1,
        "events: 20-49": 0.4, "events: 50-99": 0.03, "most followers: 4": 0.02,
        "most followers: 5": 0.01, "asked again": 0.02, "event at the deleted": 0.3,
        "account deleted": 0.2, "burst": 0.1, "pause": 0.5,
      ]
    ) { t in t.label(t.draw(.hostileHistory(max: 50))) }
  }

  @Test("The claim that nobody has four followers is falsified within fifty runs, from every seed")
  func popularity() async throws {
    var runs: [Int] = []
    for seed in 0..<Sweep.size(40, 100, 1_000) {
      let found = await counterexample(runs: 50, seed: UInt64(seed) << 32, shrinks: 0) { t in
        Self.mostFollowers(t.draw(.history(max: 50))) <= 3
      }
      runs.append(try #require(found?.run, "seed \(seed)"))
    }
    // One in seven, so seven on average.
    #expect((3...8).contains(runs.reduce(0, +) / runs.count), "\(runs.sorted())")
  }

  @Test(
    "The smallest counterexample is five people, four of whom follow the first",
    arguments: (0..<4 as Range<UInt64>).prefix(Sweep.size(2, 4, 4)))
  func smallestPopularity(_ seed: UInt64) async throws {
    let found = try #require(
      await counterexample(runs: 50, seed: seed << 32) { t in
        Self.mostFollowers(t.draw(.history(max: 50))) <= 3
      })
    let history = replay(found.tape) { $0.draw(.history(max: 50)) }
    let names = history.entries.map { entry -> String in
      guard case .follow(.followed(let edge)) = entry.event else { return entry.event.type.name }
      return "\(history.names[edge.follower]) → \(history.names[edge.followee])"
    }
    #expect(names.filter { $0 == "ProfileCreated" }.count == 5, "\(names)")
    #expect(history.count == 9, "\(names)")
  }

  private static func mostFollowers(_ history: GeneratedHistory) -> Int {
    var edges: Set<[UserID]> = []
    for entry in history.entries {
      switch entry.event {
      case .follow(.followed(let edge)): edges.insert([edge.followee, edge.follower])
      case .follow(.unfollowed(let edge)): edges.remove([edge.followee, edge.follower])
      case .accountDeleted(let data): edges = edges.filter { !$0.contains(data.user) }
      default: break
      }
    }
    return Dictionary(grouping: edges) { $0[0] }.values.map(\.count).max() ?? 0
  }

  @Test("Counts equal edges: the first example of docs/property-testing.md")
  func countsEqualEdges() async throws {
    try await check(runs: 300, covering: ["unfollowed": 0.2, "account deleted": 0.05]) { t in
      let history = t.draw(.history(max: 50), "history")
      let user = t.draw(.element(of: ["u1", "u2", "u3"]), "user")
      t.label(history)

      let core = try await Core(history.log())
      let counts = try await GetFollowCounts(core).execute(.init(user: user), as: .service("test"))
      let followers = try await GetFollowers(core).execute(.init(user: user), as: .service("test"))
      #expect(counts.followers == followers.count)
    }
  }

  @Test("A hostile history is a valid log, and many of its events are forbidden")
  func hostile() async throws {
    try await check(runs: Sweep.size(60, 200, 200), covering: ["forbidden": 0.8]) { t in
      let history = t.draw(.hostileHistory(max: 40))
      let check = try Check(try await history.log().view())
      t.label("forbidden", if: !check.findings.isEmpty)
      #expect(check.brokenInvariant == nil)
    }
  }

  @Test("A history's lines are a log that opens, with the same events")
  func lines() async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "a.jsonl")
      try await check(runs: 50) { t in
        let history = t.draw(.history(max: 30))
        try history.lines.write(to: path, atomically: true, encoding: .utf8)
        var (names, entries) = (Names(), [GeneratedHistory.Entry]())
        try LogView.unsealed(path: path.path).forEachTypedEvent(&names) { event, actor, moment in
          entries.append(
            GeneratedHistory.Entry(event: event, actor: actor.id, time: moment.time))
        }
        let read = GeneratedHistory(names: names, entries: entries)
        #expect(read.newEvents == history.newEvents)
        #expect(history.prefix(3).count == min(3, history.count))
      }
    }
  }
}
