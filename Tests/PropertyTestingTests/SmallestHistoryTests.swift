import Events
import FaultTesting
import Foundation
import Testing
import UseCases

@testable import PropertyTesting

/// The counterexamples of `check` compared with the results of `eventlog shrink`.
@Suite struct SmallestHistoryTests {
  /// A deliberate mistake: a list of two rows is taken for the whole list.
  private static func holds(_ log: InMemoryLog, _ one: String, _ other: String) async throws
    -> Bool
  {
    let core = try await Core(log)
    let rows = try await GetFollowing(core).execute(
      .init(user: one, limit: 2), as: .service("test"))
    let isFollowing = try await IsFollowing(core).execute(
      .init(follower: one, followee: other), as: .service("test"))
    return rows.contains { $0.user == other } == isFollowing
  }

  @Test(
    "`shrink` can remove no event from a counterexample",
    arguments: 0..<UInt64(Sweep.size(2, 6, 60)))
  func sameAsShrink(_ seed: UInt64) async throws {
    @Sendable func draw(_ t: Trial) -> (GeneratedHistory, String, String) {
      let history = t.draw(.history(max: 40))
      let users = ["u1", "u2", "u3"]
      return (history, t.draw(.element(of: users)), t.draw(.element(of: users)))
    }
    let found = try #require(
      await counterexample(runs: 3_000, seed: seed << 32) { t in
        let (history, one, other) = draw(t)
        return try await Self.holds(history.log(), one, other)
      })
    let (history, one, other) = replay(found.tape) { draw($0) }
    #expect(try await !Self.holds(history.log(), one, other))
    var search = try HistoryShrinker(try await history.log().view())
    await search.shrink { part in
      let log = InMemoryLog()
      for result in await log.append(part.commits) {
        if case .failure = result { return false }
      }
      return (try? await Self.holds(log, one, other)) == false
    }
    #expect(search.smallest.count == history.count, "\(history)")
  }

  @Test("The shrinker's pass over events removes at least as many events as `shrink`")
  func sameByEvents() async throws {
    @Sendable func draw(_ t: Trial) -> GeneratedHistory { t.draw(.history(max: 40)) }
    @Sendable func fails(_ entries: [GeneratedHistory.Entry]) -> Bool {
      var edges: Set<[UserID]> = []
      var isShared = false
      for entry in entries {
        switch entry.event {
        case .follow(.followed(let edge)): edges.insert([edge.follower, edge.followee])
        case .follow(.unfollowed(let edge)): edges.remove([edge.follower, edge.followee])
        case .workout(.shared), .comment(.posted): isShared = true
        default: break
        }
      }
      return isShared && edges.count == 2
    }
    var (tried, smaller) = (0, 0)
    for seed in 0..<4_000 as Range<UInt64> where tried < Sweep.size(5, 25, 250) {
      let trial = Trial(random: SplitMix64(seed: seed))
      let history = draw(trial)
      guard fails(history.entries) else { continue }
      tried += 1
      var search = try HistoryShrinker(try await history.log().view())
      await search.shrink { part in fails(part.seqs.map { history.entries[Int($0) - 1] }) }
      var shrinker = Shrinker(Shrinker.Run(trial, ""), limit: 5_000) { tape, splice in
        let trial = Trial(tape, splice: splice)
        return Shrinker.Run(trial, fails(draw(trial).entries) ? "" : nil)
      }
      await shrinker.leaveOutEvents()
      let found = try #require(shrinker.best.histories.first).history
      #expect(found.count <= search.smallest.count, "seed \(seed): \(found)")
      if found.count < history.count { smaller += 1 }
    }
    #expect(tried >= Sweep.size(5, 10, 10) && smaller >= Sweep.size(2, 5, 5))
  }
}
