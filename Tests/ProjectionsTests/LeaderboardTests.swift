import Events
import Projections
import Testing

@Suite struct LeaderboardTests {
  @Test("Equal metres share a rank, the next one is skipped, and handles order them in any case")
  func ranking() throws {
    var (names, profiles) = (Names(), Profiles())
    let moment = Moment(seq: 1, time: .epoch)
    let handles = ["Zoe", "bea", "Ann", "cem"]
    let users = try (0..<5).map { try names.user("u\($0)") }
    for (user, handle) in zip(users, handles) {
      let created = ProfileCreated(user: user, handle: handle, isPublic: true)
      profiles.apply(.profile(.created(created)), at: moment)
    }
    // The last has no profile, as an import may bring: without a handle it comes after those that
    // have one.
    let scores = Dictionary(uniqueKeysWithValues: zip(users, [500, 800, 500, 300, 800] as [Int64]))
    let ranking = Leaderboard.ranking(scores, profiles, names)
    #expect(ranking.map { names[$0.user] } == ["u1", "u4", "u2", "u0", "u3"])
    #expect(ranking.map(\.rank) == [1, 1, 3, 3, 5])
    #expect(ranking.map(\.meters) == [800, 800, 500, 500, 300])
    #expect(Leaderboard.ranking([:], profiles, names) == [])
  }
}
