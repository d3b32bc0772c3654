import Aggregates
import Events
import Synchronization
import Testing
import UseCases
import UseCasesTesting

@Suite struct CoreTests {
  @Test("A refusal and a command that changes nothing append nothing")
  func nothingAppended() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    #expect(await test.do("FollowUser", as: "alice", #"{"followee":"bob"}"#) == "true")
    #expect(await test.count == 3)
    #expect(await test.do("FollowUser", as: "alice", #"{"followee":"bob"}"#) == "true")
    #expect(
      await test.do("FollowUser", as: "alice", #"{"followee":"alice"}"#) == "cannotFollowSelf")
    #expect(await test.do("FollowUser", #"{"followee":"alice"}"#) == "unauthorized")
    #expect(await test.do("FollowUser", as: "zoe", #"{"followee":"bob"}"#) == "profileNotFound")
    #expect(await test.count == 3)
  }

  @Test("The audit allows every event that a use case appends, and it has its actor and time")
  func appended() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    let reply = await test.core.perform(
      [
        Request(
          "FollowUser", as: "alice", with: try JSONValue(#"{"followee":"bob"}"#),
          time: Timestamp("2027-01-01T00:00:00.000Z"))
      ], photos: test.ports)[0]
    #expect(reply.json.text == #"{"ok":true,"result":true,"seq":[3]}"#)
    let event = try #require(await test.log.read(after: 2, limit: 1).first)
    #expect(event.actor == "alice" && event.stream == "follow/alice/bob" && event.rev == 1)
    #expect("\(event.time)" == "2027-01-01T00:00:00.000Z")
  }

  @Test("A time before the last event's is refused, and the same time is accepted")
  func time() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    func follow(_ time: String) async throws -> String {
      let request = Request(
        "ToggleFollow", as: "alice", with: try JSONValue(#"{"followee":"bob"}"#),
        time: Timestamp(time))
      return await test.core.perform([request], photos: test.ports)[0].json.text
    }
    let early = try await follow("2026-01-19T08:59:59.999Z")
    #expect(early.hasPrefix(#"{"ok":false,"error":"timeGoesBack""#))
    #expect(try await follow("2026-01-19T09:00:00.000Z") == #"{"ok":true,"result":true,"seq":[3]}"#)
  }

  @Test("Queries see only durable events: nothing of a commit whose append failed")
  func failedAppend() async throws {
    let store = FailingStore()
    let core = try await Core(store)
    _ = try await CreateProfile(core).execute(.init(user: "a", handle: "alice"), as: "a")
    _ = try await CreateProfile(core).execute(.init(user: "b", handle: "bobby"), as: "b")
    store.fails(true)
    await #expect(throws: UseCaseError.log(.closed(reason: "no room"))) {
      try await FollowUser(core).execute(.init(followee: "b"), as: "a")
    }
    await #expect(throws: UseCaseError.log(.closed(reason: "no room"))) {
      try await UpdateProfile(core).execute(.init(handle: "carol"), as: "a")
    }
    #expect(try await IsFollowing(core).execute(.init(followee: "b"), as: "a") == false)
    store.fails(false)
    // The lost decision left nothing behind: the handle is still free.
    _ = try await UpdateProfile(core).execute(.init(handle: "carol"), as: "b")
    #expect(try await ToggleFollow(core).execute(.init(followee: "b"), as: "a"))
    #expect(core.position == 4)
    #expect(core.brokenInvariant() == nil)
  }

  @Test("If one commit of a batch fails, the other answers are as if it did not exist")
  func failedGroup() async throws {
    let store = FailingStore()
    let core = try await Core(store)
    let ports = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
    func create(_ user: String, _ handle: String) throws -> Request {
      Request(
        "CreateProfile", as: user,
        with: try JSONValue(#"{"user":"\#(user)","handle":"\#(handle)"}"#))
    }
    store.refuses(actor: "b")
    let replies = await core.perform(
      [
        try create("a", "alice"), try create("b", "bobby"), try create("c", "BOBBY"),
        try create("d", "alice"),
      ], photos: ports)
    let codes = replies.map { reply in
      switch reply.result {
      case .success: "\(Array(reply.seqs))"
      case .failure(let error): error.code
      }
    }
    #expect(codes == ["[1]", "logFailed", "[2]", "handleAlreadyTaken"])
  }

  @Test("Two cores on one log decide on each other's events")
  func twoCores() async throws {
    let log = InMemoryLog()
    let (one, two) = (try await Core(log), try await Core(log))
    _ = try await CreateProfile(one).execute(.init(user: "a", handle: "alice"), as: "a")
    await #expect(throws: UseCaseError.refused(.handleAlreadyTaken)) {
      try await CreateProfile(two).execute(.init(user: "b", handle: "Alice"), as: "b")
    }
    _ = try await CreateProfile(two).execute(.init(user: "b", handle: "bob"), as: "b")
    await #expect(throws: UseCaseError.refused(.profileNotFound)) {
      try await GetProfile(one).execute(.init(handle: "bob"), as: nil)
    }
    let refreshed = try await RefreshProfile(one).execute(.init(handle: "BOB"), as: nil)
    #expect(refreshed.row.user == "b")
    #expect(try await FollowUser(one).execute(.init(followee: "b"), as: "a"))
    #expect(await log.head() == 3)
    // A refusal also depends on the other core's events.
    _ = try await CreateProfile(two).execute(.init(user: "c", handle: "carol"), as: "c")
    #expect(try await ToggleFollow(one).execute(.init(followee: "c"), as: "a"))
    _ = try await DeleteAccount(one).execute(.init(), as: "b")
    await #expect(throws: UseCaseError.refused(.profileNotFound)) {
      try await ToggleFollow(two).execute(.init(followee: "b"), as: "c")
    }
  }

  @Test("A stream of answers starts at once, continues with each change, and ends with its error")
  func updates() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob", "carol")
    var counts = test.core.updates(of: GetFollowCounts(test.core), .init(user: "bob"))
      .makeAsyncIterator()
    #expect(try await counts.next()?.followers == 0)
    _ = await test.do("FollowUser", as: "alice", #"{"followee":"bob"}"#)
    #expect(try await counts.next()?.followers == 1)
    _ = await test.do("FollowUser", as: "alice", #"{"followee":"carol"}"#)  // does not affect bob
    _ = await test.do("FollowUser", as: "carol", #"{"followee":"bob"}"#)
    #expect(try await counts.next()?.followers == 2)

    var profile = test.core.updates(of: GetProfile(test.core), .init(user: "bob"))
      .makeAsyncIterator()
    #expect(try await profile.next()?.row.handle == "bob")
    _ = await test.do("DeleteAccount", as: "bob")
    await #expect(throws: UseCaseError.refused(.profileNotFound)) { try await profile.next() }
    #expect(try await profile.next() == nil)
    #expect(try await counts.next()?.followers == 0)
  }

  @Test("A stream of answers ends when its task is cancelled")
  func cancelled() async throws {
    let test = try await TestCore()
    try await test.people("alice")
    let core = test.core
    let task = Task {
      var seen = 0
      for try await _ in core.updates(of: GetFollowCounts(core), .init(user: "alice")) { seen += 1 }
      return seen
    }
    task.cancel()
    #expect(try await task.value <= 1)
  }

  @Test("A core opens a log written by another core, and gives the same answers")
  func reopened() async throws {
    let test = try await TestCore(.erg)
    try await test.people("alice", "bob")
    try await test.befriend("alice", "bob")
    await test.share("w1", by: "alice")
    _ = await test.do("ToggleChup", as: "bob", #"{"workout":"w1"}"#)
    let again = try await Core(test.log, rules: .erg)
    #expect(again.position == test.core.position)
    let feeds = (
      try await GetFeed(test.core).execute(.init(), as: "bob"),
      try await GetFeed(again).execute(.init(), as: "bob")
    )
    #expect(feeds.0 == feeds.1 && feeds.0.first?.chuppedByMe == true)
  }
}

/// A log in memory that can be made to fail.
private final class FailingStore: EventStore {
  private let log = InMemoryLog()
  private let failing = Mutex(false)
  private let refused = Mutex<String?>(nil)

  func fails(_ fails: Bool) { failing.withLock { $0 = fails } }
  /// Refuses this user's appends.
  func refuses(actor: String) { refused.withLock { $0 = actor } }

  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    if failing.withLock({ $0 }) { return [.failure(.closed(reason: "no room"))] }
    let actor = refused.withLock { $0 }
    guard let first = commits.firstIndex(where: { $0.events.contains { $0.actor == actor } }) else {
      return await log.append(commits)
    }
    return await log.append(Array(commits[..<first])) + [.failure(.closed(reason: "refused"))]
  }

  func head() async throws(LogError) -> UInt64 { await log.head() }
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    await log.read(after: position, limit: limit)
  }
  func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent] {
    await log.read(stream: stream, after: revision)
  }
  func history() -> RecordedHistory { log.history() }
}
