import EventLog
import Events
import FaultTesting
import PropertyTesting
import Testing

@testable import Projections
@testable import Replaying

/// A replay's result does not depend on the way to it.
@Suite struct ReplayPropertiesTests {
  private typealias Facts = @Sendable (LogView, _ cut: UInt64) async throws -> [[Fact]]

  private static func facts<P: ExplainedProjection>(_ replay: Replay<P>) -> [Fact] {
    replay.projection.facts(replay.names).sorted { $0.path < $1.path }
  }

  /// The facts after a rebuild, with a pause at a revision, and from a checkpoint of that revision.
  private static func ways<P: ExplainedProjection>(_: P.Type) -> Facts {
    { view, cut in
      var rebuilt = Replay<P>()
      try await rebuilt.run(view)
      var paused = Replay<P>()
      try await paused.run(view, until: cut)
      let isSaved = try paused.save(view, as: "\(P.name)-\(cut)")
      #expect(isSaved == (cut > 0))
      try await paused.run(view)
      var restored = Replay<P>()
      #expect(restored.restore(view, until: cut) == [])
      #expect(restored.head.seq == cut, "\(P.name)")
      if cut > 0 {
        var earlier = Replay<P>()
        _ = earlier.restore(view, until: cut - 1)
        #expect(earlier.head.seq == 0, "\(P.name): from a state later than asked for")
      }
      try await restored.run(view)
      return [facts(rebuilt), facts(paused), facts(restored)]
    }
  }

  private static let projections: [Facts] = [
    ways(FollowerRanking.self), ways(FollowLists.self), ways(Profiles.self),
    ways(Relationships.self),
    ways(Search.self), ways(Workouts.self), ways(Chups.self), ways(Comments.self),
    ways(Leaderboard.self), ways(Notifications.self),
  ]

  @Test("A rebuild, catching up, and a checkpoint with the rest agree, for any cut")
  func ways() async throws {
    try await check(runs: Sweep.size(25, 180, 6_000), covering: ["valid": 0.2]) { t in
      let isValid = t.draw(.bool)
      t.label("valid", if: isValid)
      let history = t.draw(isValid ? .history(max: 40) : .hostileHistory(max: 40), "history")
      let cut = t.draw(.int(0...history.count), "cut")
      let disk = SimulatedDisk()
      let log = try FileLog(path: "/log", creating: true, segmentSize: 2_000, files: disk.files)
      for result in await log.append(history.newEvents.map { Commit([$0]) }) {
        _ = try result.get()
      }
      let view = try LogView(path: "/log", files: disk.files)
      for facts in Self.projections {
        let found = try await facts(view, UInt64(cut))
        #expect(found[1] == found[0], "caught up")
        #expect(found[2] == found[0], "from a checkpoint")
      }
    }
  }

  @Test("The state as of a revision is that of a log that ends there")
  func asOf() async throws {
    try await check(runs: Sweep.size(25, 75, 4_000)) { t in
      let history = t.draw(t.draw(.bool) ? .history(max: 30) : .hostileHistory(max: 30), "history")
      let revision = t.draw(.int(0...history.count), "revision")
      let travel = TimeTravel(try await history.log().view())
      let cut = TimeTravel(try await history.prefix(revision).log().view())
      let found = try await travel.facts(at: UInt64(revision))
      #expect(found == (try await cut.facts(at: UInt64(revision))))
      for path in try TimeTravelTests.paths(found) {
        let some = try await travel.facts(at: UInt64(revision), under: path)
        #expect(some == found.filter { path.contains($0.path) }, "\(path.text)")
      }
    }
  }

  /// The names that each event depends on: its actor, ids and handles, and the names of earlier
  /// events about its items.
  private static func names(in history: GeneratedHistory) -> [Set<String>] {
    var about: [String: Set<String>] = [:]
    return history.newEvents.map { event in
      let data = String(decoding: event.data, as: UTF8.self)
      var words = Set(data.matches(of: /"([uwcgmr][0-9]+)"/).map { String($0.output.1) })
      words.insert(event.actor)
      // Two handles may differ only in case.
      words.formUnion(data.matches(of: /"handle":"[^"]*"/).map { $0.output.lowercased() })
      for word in words where word.contains(/^[wcgm]/) {
        words.formUnion(about[word] ?? [])
        about[word, default: []].formUnion(words)
      }
      return words
    }
  }

  @Test("Two events without a common name may come in either order")
  func order() async throws {
    try await check(runs: Sweep.size(40, 300, 20_000)) { t in
      // All at the same time, so that time does not determine the order.
      var history = t.draw(.history(max: 40, users: 8), "history")
      for index in history.entries.indices { history.entries[index].time = .epoch }
      let names = Self.names(in: history)
      let places = history.entries.indices.dropFirst().filter {
        names[$0 - 1].isDisjoint(with: names[$0])
      }
      try t.assume(!places.isEmpty)
      let second = t.draw(.element(of: places), "second")
      var swapped = history
      swapped.entries.swapAt(second - 1, second)
      let head = UInt64(history.count)
      let one = try await TimeTravel(history.log().view()).facts(at: head)
      let other = try await TimeTravel(swapped.log().view()).facts(at: head)
      #expect(one == other)
    }
  }
}
