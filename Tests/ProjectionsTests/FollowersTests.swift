import Events
import Projections
import Testing

@Suite struct FollowersTests {
  /// The projection after some steps, with the names.
  private func project(_ steps: [Step]) throws -> (followers: FollowCounts, names: Names) {
    let (both, names) = try projectBoth(steps)
    return (both.first, names)
  }

  /// The projection that counts and the one that lists.
  private func projectBoth(
    _ steps: [Step]
  ) throws -> (both: Pair<FollowCounts, FollowLists>, names: Names) {
    var names = Names()
    var both = Pair<FollowCounts, FollowLists>()
    for (index, step) in steps.enumerated() {
      let moment = Moment(seq: UInt64(index) + 1, time: .epoch)
      both.apply(try step.event(&names).event, at: moment)
    }
    both.settle()
    return (both, names)
  }

  private func users(_ ids: Users, _ names: Names) -> [String] { ids.map { names[$0] } }

  @Test("A follow counts on both sides and is an edge in one direction")
  func follow() throws {
    let (followers, names) = try project([.follow("alice", "bob")])
    let alice = try #require(names.find(user: "alice"))
    let bob = try #require(names.find(user: "bob"))
    #expect(followers.counts(of: bob) == (1, 0))
    #expect(followers.counts(of: alice) == (0, 1))
    #expect(followers.isFollowing(alice, bob))
    #expect(!followers.isFollowing(bob, alice))
  }

  @Test("Lists are newest first, and following again lists first again")
  func order() throws {
    let (both, names) = try projectBoth([
      .follow("a", "x"), .follow("b", "x"), .follow("c", "x"), .unfollow("a", "x"),
      .follow("a", "x"), .follow("x", "b"), .follow("x", "a"),
    ])
    let x = try #require(names.find(user: "x"))
    #expect(users(both.second.followers(of: x), names) == ["a", "c", "b"])
    #expect(users(both.second.following(of: x), names) == ["a", "b"])
  }

  @Test("Following twice and unfollowing nobody change nothing")
  func repeats() throws {
    let (followers, names) = try project([
      .follow("a", "b"), .follow("a", "b"), .unfollow("b", "a"), .unfollow("c", "a"),
    ])
    let b = try #require(names.find(user: "b"))
    #expect(followers.counts(of: b) == (1, 0))
  }

  @Test("A deleted account takes its edges along and never counts again")
  func deletion() throws {
    let (followers, names) = try project([
      .follow("a", "b"), .follow("b", "c"), .follow("c", "a"), .delete("b"), .follow("b", "a"),
      .follow("c", "b"), .unfollow("b", "c"),
    ])
    for (user, expected) in [("a", (1, 0)), ("b", (0, 0)), ("c", (0, 1))] {
      #expect(followers.counts(of: try #require(names.find(user: user))) == expected)
    }
    #expect(followers.brokenInvariant(names) == nil)
  }

  @Test("An unknown user has no followers and follows nobody")
  func unknown() {
    #expect(FollowCounts().counts(of: UserID(index: 9_999)) == (0, 0))
    #expect(FollowLists().followers(of: UserID(index: 9_999)).isEmpty)
  }

  @Test("The ranking is by count, then by the bytes of the id, and a limit cuts it")
  func ranking() throws {
    let (followers, names) = try project([
      .follow("a", "z"), .follow("b", "z"), .follow("c", "y"), .follow("d", "x"),
      .follow("e", "Y"),
    ])
    let all = followers.ranking(limit: nil, names: names) { _ in true }
    #expect(all.map { names[$0] } == ["z", "Y", "x", "y", "a", "b", "c", "d", "e"])
    for limit in 0...10 {
      let some = followers.ranking(limit: limit, names: names) { _ in true }
      #expect(some == Array(all.prefix(limit)))
    }
    let listed = followers.ranking(limit: 2, names: names) { names[$0] != "z" }
    #expect(listed.map { names[$0] } == ["Y", "x"])
  }

  @Test("Whatever happens, the projection equals a naive model", arguments: 0..<60)
  func equalsNaiveModel(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let users = Int.random(in: 1...12, using: &random)
    let steps = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      Step.random(&random, users: users)
    }
    var naive = NaiveFollowers()
    for step in steps { naive.apply(step) }
    let (both, names) = try projectBoth(steps)
    let (followers, following) = (both.first, both.second)
    #expect(both.brokenInvariant(names) == nil, "seed \(seed)")
    for index in 0..<users {
      let user = "u\(index)"
      guard let id = names.find(user: user) else { continue }
      #expect(
        self.users(following.followers(of: id), names) == naive.followers(of: user),
        "followers of \(user), seed \(seed)")
      #expect(
        self.users(following.following(of: id), names) == naive.following(of: user),
        "following of \(user), seed \(seed)")
      #expect(
        followers.counts(of: id)
          == (naive.followers(of: user).count, naive.following(of: user).count))
    }
  }
}
