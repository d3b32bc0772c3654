import EventLog
import Events
import Projections
import Replaying
import Testing

@Suite struct RankingTests {
  @Test("The greatest count comes first; equal counts by id")
  func ranked() throws {
    var names = Names()
    let (bob, ann, cid) = (try names.user("bob"), try names.user("ann"), try names.user("cid"))
    let ranked = [bob, ann, cid].ranked(names) { $0 == cid ? 2 : 1 }
    #expect(ranked.map(\.user) == [cid, ann, bob] && ranked.map(\.count) == [2, 1, 1])
    let (run, row) = (try names.workout("run"), try names.workout("row"))
    #expect([run, row].ranked(names) { _ in 0 }.map(\.workout) == [row, run])
  }

  @Test("Rows by following have the same users as rows by followers, ordered by their follows")
  func following() throws {
    var names = Names()
    var rows = FollowerRanking()
    let steps: [Step] = [.follow("ann", "bob"), .follow("cid", "bob"), .follow("cid", "ann")]
    for (index, step) in steps.enumerated() {
      rows.apply(
        try step.event(&names).event, at: Moment(seq: UInt64(index) + 1, time: .epoch))
    }
    rows.settle()
    let ranked = rows.rowsByFollowing(limit: nil, names: names)
    #expect(ranked.map { names[$0.user] } == ["cid", "ann", "bob"])
    #expect(ranked.map(\.followingCount) == [2, 1, 0])
    #expect(rows.rowsByFollowing(limit: 2, names: names) == Array(ranked[..<2]))
  }

  @Test("Sports are counted with their levels and mentors, the most frequent first")
  func sports() async throws {
    var replay = Replay<Profiles>()
    try await replay.run(try LogView(path: "eventlogs/demo"))
    let profiles = replay.projection
    let counts = profiles.sportCounts(of: profiles.users(replay.names))
    #expect(counts.map(\.sport) == ["rowing", "bouldering", "ski", "snowboard", "touring"])
    #expect(counts.map(\.users) == [3, 2, 1, 1, 1] && counts.map(\.mentors) == [1, 1, 1, 0, 1])
    #expect(counts[0].levels == [.beginner: 2, .expert: 1])
  }
}
