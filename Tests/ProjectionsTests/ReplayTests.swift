import EventLog
import Events
import Projections
import Replaying
import Testing

@Suite struct ReplayTests {
  private static func history(_ seed: UInt64, _ count: Int, users: Int) -> [Step] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in Step.random(&random, users: users) }
  }

  /// Some megabytes, so that there are several chunks.
  private static let large = Task { try await log(of: history(4, 12_000, users: 300)).view() }

  private func answers(_ replay: Replay<FollowerRanking>) -> [String] {
    replay.projection.rows(limit: nil, names: replay.names).map {
      "\(replay.names[$0.user]) \($0.followerCount) \($0.followingCount)"
    }
  }

  @Test("The state as of any revision equals that of a log that ends there")
  func asOf() async throws {
    let steps = Self.history(1, 120, users: 8)
    let view = try await log(of: steps).view()
    for revision in 0...steps.count {
      var asOf = Replay<FollowerRanking>()
      try await asOf.run(view, until: UInt64(revision))
      var cut = Replay<FollowerRanking>()
      try await cut.run(log(of: Array(steps.prefix(revision))).view())
      #expect(answers(asOf) == answers(cut), "revision \(revision)")
      #expect(asOf.head.seq == UInt64(revision))
    }
  }

  @Test("Catching up equals rebuilding, after any interruption")
  func catchUp() async throws {
    let steps = Self.history(2, 200, users: 10)
    let view = try await log(of: steps).view()
    var whole = Replay<FollowerRanking>()
    try await whole.run(view)
    for first in stride(from: 0, through: 200, by: 17) {
      var replay = Replay<FollowerRanking>()
      try await replay.run(view, until: UInt64(first))
      try await replay.run(view, until: UInt64((first + 200) / 2))
      try await replay.run(view)
      #expect(answers(replay) == answers(whole), "interrupted at \(first)")
      #expect(replay.projection.followers.brokenInvariant(replay.names) == nil)
    }
  }

  @Test("The result does not depend on the number of jobs", arguments: [1, 2, 3, 8])
  func jobs(count: Int) async throws {
    let view = try await Self.large.value
    var one = Replay<FollowerRanking>()
    var options = Replay<FollowerRanking>.Options()
    options.jobs = 1
    try await one.run(view, options: options)
    var many = Replay<FollowerRanking>()
    options.jobs = count
    try await many.run(view, options: options)
    #expect(answers(many) == answers(one))
    #expect(many.head == one.head)
  }

  @Test(
    "The parts of a state, rebuilt in parallel, equal the state that one task rebuilds",
    arguments: [(2, UInt64.max), (8, .max), (2, 7_001)])
  func parts(jobs: Int, until: UInt64) async throws {
    let view = try await Self.large.value
    var one = Replay<Views>()
    var options = ReplayOptions()
    options.jobs = 1
    try await one.run(view, until: until, options: options)
    var many = Replay<Views>()
    options.jobs = jobs
    try await many.run(view, until: until, options: options)
    func facts(_ replay: Replay<Views>) -> [String] {
      replay.projection.facts(replay.names).map { "\($0)" }.sorted()
    }
    #expect(facts(many).count > 150 && facts(many) == facts(one))
    #expect(many.head == one.head && many.projection.brokenInvariant(many.names) == nil)
    // An existing state continues in one piece.
    try await many.run(view, options: options)
    try await one.run(view, options: options)
    #expect(facts(many) == facts(one))
  }

  @Test("An event of unknown type stops a replay, or is skipped and counted")
  func unknown() async throws {
    let log = InMemoryLog()
    var names = Names()
    let follow = try Step.follow("a", "b").event(&names)
    try await log.append(Commit([NewEvent(follow.event, actor: "a", names: names)]))
    var other = NewEvent(follow.event, actor: "a", names: names)
    other.type = "BadgeWon"
    other.stream = "badge/a"
    try await log.append(Commit([other]))
    var strict = Replay<FollowCounts>()
    await #expect(throws: LogError.unknownType(name: "BadgeWon", version: 1, seq: 2)) {
      try await strict.run(log.view())
    }
    var lenient = Replay<FollowCounts>()
    var options = Replay<FollowCounts>.Options()
    options.unknown = .skip
    try await lenient.run(log.view(), options: options)
    #expect(lenient.skipped.values.reduce(0, +) == 1)
    #expect(lenient.head.seq == 2)
  }

  @Test("Handles follow edits and are removed with the account")
  func handles() throws {
    var names = Names()
    let user = try names.user("alice")
    var handles = Handles()
    let moment = Moment(seq: 1, time: .epoch)
    #expect(handles[user] == nil)
    handles.apply(
      .profile(.created(ProfileCreated(user: user, handle: "al", isPublic: true))), at: moment)
    #expect(handles[user] == "al")
    handles.apply(.profile(.edited(ProfileEdited(user: user, bio: .set("x")))), at: moment)
    #expect(handles[user] == "al")
    handles.apply(.profile(.edited(ProfileEdited(user: user, handle: .set("AL")))), at: moment)
    #expect(handles[user] == "AL")
    handles.apply(.accountDeleted(UserReference(user: user)), at: moment)
    #expect(handles[user] == nil)
    #expect(handles.isDeleted(user))
    handles.apply(.profile(.edited(ProfileEdited(user: user, handle: .set("back")))), at: moment)
    #expect(handles[user] == nil)
  }
}
