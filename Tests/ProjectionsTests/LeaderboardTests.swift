import Events
import Projections
import Testing

@Suite struct LeaderboardTests {
  @Test(
    "Equal metres share a rank, the next rank is skipped, and handles order them, ignoring case")
  func ranking() throws {
    var (names, profiles) = (Names(), Profiles())
    let moment = Moment(seq: 1, time: .epoch)
    let handles = ["Zoe", "bea", "Ann", "cem"]
    let users = try (0..<5).map { try names.user("u\($0)") }
    for (user, handle) in zip(users, handles) {
      let created = ProfileCreated(user: user, handle: handle, isPublic: true)
      profiles.apply(.profile(.created(created)), at: moment)
    }
    // The last user has no profile, which an import can bring, and comes after those with a handle.
    let scores = Dictionary(uniqueKeysWithValues: zip(users, [500, 800, 500, 300, 800] as [Int64]))
    let ranking = Leaderboard.ranking(scores, profiles, names)
    #expect(ranking.map { names[$0.user] } == ["u1", "u4", "u2", "u0", "u3"])
    #expect(ranking.map(\.rank) == [1, 1, 3, 3, 5])
    #expect(ranking.map(\.meters) == [800, 800, 500, 500, 300])
    #expect(Leaderboard.ranking([:], profiles, names) == [])
  }
}

@Suite struct LeaderboardSumsTests {
  private let alice = UserID(index: 0)
  private let moment = Moment(seq: 1, time: .epoch)

  private func item(_ index: UInt32, _ meters: Int64?, _ audience: Audience?) -> Event {
    .workout(
      .shared(
        WorkoutShared(
          workout: WorkoutID(index: index), owner: alice, date: DateTime(.epoch),
          totalDistance: meters, isErgTest: false, audience: audience)))
  }

  @Test("Sums saturate at the largest number, and are correct again after a removal")
  func saturation() {
    var leaderboard = Leaderboard()
    var sums: Leaderboard.Sums? { leaderboard.sums(of: alice, in: .week, containing: .epoch) }
    func remove(_ index: UInt32) {
      let removed = WorkoutReference(workout: WorkoutID(index: index))
      leaderboard.apply(.workout(.removed(removed)), at: moment)
    }
    for index in 1...3 as ClosedRange<UInt32> {
      leaderboard.apply(item(index, .max - 10, .public), at: moment)
    }
    leaderboard.apply(item(4, 7, .public), at: moment)
    leaderboard.apply(item(5, 5, .friends), at: moment)
    #expect(sums?[.public] == .max && sums?[.friends] == 5 && sums?.shared == .max)
    remove(2)
    #expect(sums?[.public] == .max)
    remove(1)
    #expect(sums?[.public] == Int64.max - 3)
    remove(3)
    #expect(sums?[.public] == 7 && sums?.shared == 12)
    #expect(leaderboard.brokenInvariant(Names()) == nil)
    leaderboard.apply(
      .workout(.edited(WorkoutEdited(workout: WorkoutID(index: 4), audience: .set(.private)))),
      at: moment)
    #expect(sums?[.public] == 0 && sums?[.private] == 7 && sums?.shared == 5 && sums?.all == 12)
    leaderboard.apply(.accountDeleted(UserReference(user: alice)), at: moment)
    #expect(sums == nil)
  }

  @Test("A negative distance, which an import can bring, and missing metres count nothing")
  func nothing() {
    var leaderboard = Leaderboard()
    leaderboard.apply(item(1, -5, .public), at: moment)
    leaderboard.apply(item(2, nil, .friends), at: moment)
    #expect(leaderboard.sums(of: alice, in: .week, containing: .epoch) == nil)
    leaderboard.apply(item(3, 9, nil), at: moment)
    #expect(leaderboard.sums(of: alice, in: .month, containing: .epoch)?[nil] == 9)
    leaderboard.apply(
      .workout(.edited(WorkoutEdited(workout: WorkoutID(index: 3), totalDistance: .clear))),
      at: moment)
    #expect(leaderboard.sums(of: alice, in: .month, containing: .epoch) == nil)
    #expect(leaderboard.brokenInvariant(Names()) == nil)
  }
}
