import Events
import Projections
import Testing

@Suite struct FollowersTests {
  private func project(_ steps: [Step]) throws -> (followers: FollowCounts, names: Names) {
    let (both, names) = try projectBoth(steps)
    return (both.first, names)
  }

  /// The counting and the listing projection after some steps, with the names.
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

  @Test("Lists are newest first, and a renewed follow is listed first")
  func order() throws {
    let (both, names) = try projectBoth([
      .follow("a", "x"), .follow("b", "x"), .follow("c", "x"), .unfollow("a", "x"),
      .follow("a", "x"), .follow("x", "b"), .follow("x", "a"),
    ])
    let x = try #require(names.find(user: "x"))
    #expect(users(both.second.followers(of: x), names) == ["a", "c", "b"])
    #expect(users(both.second.following(of: x), names) == ["a", "b"])
  }

  @Test("Following twice and ending a follow that does not exist change nothing")
  func repeats() throws {
    let (followers, names) = try project([
      .follow("a", "b"), .follow("a", "b"), .unfollow("b", "a"), .unfollow("c", "a"),
    ])
    let b = try #require(names.find(user: "b"))
    #expect(followers.counts(of: b) == (1, 0))
  }

  @Test("A deleted account loses its edges and never counts again")
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

  @Test("A follow across a block is not counted or listed, and has its old place afterwards")
  func acrossABlock() throws {
    var names = Names()
    let (a, b, c) = (try names.user("a"), try names.user("b"), try names.user("c"))
    var both = Pair<FollowCounts, FollowLists>()
    var seq: UInt64 = 0
    func apply(_ event: Event) {
      seq += 1
      both.apply(event, at: Moment(seq: seq, time: Timestamp(milliseconds: Int64(seq))))
      both.settle()
      #expect(both.first.brokenInvariant(names) == nil)
      #expect(both.second.brokenInvariant(names) == nil)
    }
    func follow(_ a: UserID, _ b: UserID) {
      apply(.follow(.followed(Follow(follower: a, followee: b))))
    }
    func block(_ a: UserID, _ b: UserID) { apply(.block(.blocked(Block(user: a, other: b)))) }
    func unblock(_ a: UserID, _ b: UserID) { apply(.block(.unblocked(Block(user: a, other: b)))) }
    func followers(of user: UserID) -> [String] {
      let list = users(both.second.followers(of: user), names)
      #expect(both.first.counts(of: user).followers == list.count)
      for other in [a, b, c] {
        let isListed = list.contains(names[other])
        #expect(both.first.isFollowing(other, user) == isListed)
        #expect(both.second.isFollowing(other, user) == isListed)
        #expect((both.second.since(other, user) != nil) == isListed)
      }
      return list
    }
    follow(a, b)
    follow(c, b)
    block(b, a)
    #expect(followers(of: b) == ["c"])
    // A block by either separates the two until both blocks have ended.
    block(a, b)
    unblock(b, a)
    #expect(followers(of: b) == ["c"])
    unblock(a, b)
    #expect(followers(of: b) == ["c", "a"])
    #expect(both.second.since(a, b) == Timestamp(milliseconds: 1))
    // A follow that begins during the block counts after it, unless it has ended.
    block(a, c)
    follow(a, c)
    follow(c, a)
    apply(.follow(.unfollowed(Follow(follower: c, followee: a))))
    #expect(followers(of: c) == [] && followers(of: a) == [])
    unblock(a, c)
    #expect(followers(of: c) == ["a"] && followers(of: a) == [])
    // A deleted account's follows do not come back.
    block(a, b)
    apply(.accountDeleted(UserReference(user: a)))
    unblock(a, b)
    #expect(followers(of: b) == ["c"])
  }

  @Test("An invariant finds a follow, a friendship and a request across a block")
  func invariant() throws {
    var names = Names()
    let (a, b) = (try names.user("a"), try names.user("b"))
    let moment = Moment(seq: 1, time: .epoch)
    var blocks = Blocks()
    blocks.apply(Event.block(.blocked(Block(user: a, other: b))), at: moment)
    let request = FriendRequest(sender: b, receiver: a)
    // Projections that have not seen the block.
    var lists = FollowLists()
    lists.apply(.follow(.followed(Follow(follower: b, followee: a))), at: moment)
    var (asked, befriended) = (Relationships(), Relationships())
    asked.apply(.friendship(.requested(request)), at: moment)
    befriended.apply(.friendship(.accepted(request)), at: moment)
    func broken(_ state: some ExplainedProjection) -> String? {
      var views = Views()
      views.take(blocks)
      views.take(state)
      return views.brokenInvariant(names)
    }
    #expect(broken(lists) == "a blocks b, and there is a follow between the two")
    #expect(broken(asked) == "a blocks b, and there is a request between the two")
    #expect(broken(befriended) == "a blocks b, and there is a friendship between the two")
    #expect(broken(Blocks()) == nil)
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

  @Test("After any events, the projection equals a naive model", arguments: 0..<60)
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
