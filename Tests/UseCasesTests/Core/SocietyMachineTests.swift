import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// A store whose every call lets other tasks run first, like one behind a network.
private struct DistantStore: EventStore {
  let log: InMemoryLog

  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    await Task.yield()
    let results = await log.append(commits)
    await Task.yield()
    return results
  }

  func head() async -> UInt64 {
    await Task.yield()
    return await log.head()
  }

  func read(after position: UInt64, limit: Int) async -> [RecordedEvent] {
    await Task.yield()
    return await log.read(after: position, limit: limit)
  }

  func read(stream: String, after revision: UInt64) async -> [RecordedEvent] {
    await Task.yield()
    return await log.read(stream: stream, after: revision)
  }

  func history() async -> RecordedHistory {
    await Task.yield()
    return log.history()
  }
}

/// A model of a few people and their relations, as sets and words.
private struct AggregateStates: Machine {
  struct Model: Sendable {
    var handles: [String: String] = [:]
    /// The handles in lower case that rest, because their owners deleted their accounts.
    var resting: Set<String> = []
    var deleted: Set<String> = []
    var follows: Set<[String]> = []
    /// By both names, sorted: the user who asked, or "" for friends.
    var friendships: [[String]: String] = [:]
    var owners: [String: String] = [:]
    var chups: Set<[String]> = []
    /// The ids that the system assigned.
    var workouts = Bundle<String>()

    var hasWorkouts: Bool { !workouts.isEmpty }
    var hasCompany: Bool { handles.count > 1 }
    func isOpen(_ user: String) -> Bool { handles[user] != nil }
    func areFriends(_ a: String, _ b: String) -> Bool { friendships[[a, b].sorted()] == "" }
  }

  enum Kind: Sendable {
    case create(handle: String)
    case delete
    case toggleFollow(String)
    case request(String)
    case accept(String)
    case remove(String)
    case share
    case toggleChup(String)
    case counts(of: String)
    case relationship(String)
    case isChupped(String)
  }

  struct Command: Sendable, CustomStringConvertible {
    var kind: Kind
    var user: String
    /// The core that gets the command, of two over one log.
    var core: Int

    var description: String { "\(user) \(kind) of core \(core)" }
  }

  struct Response: Equatable, Sendable, CustomStringConvertible {
    var text: String
    /// The number of events that it appended.
    var events = 0

    var description: String { "\(text), \(events) events" }
  }

  struct System: Sendable {
    let log: InMemoryLog
    let cores: [Core]
  }

  private static let users = ["ann", "ben", "cat"]
  let model = Model()
  let rules = [
    rule("create") { t, _ in
      .create(
        handle: t.draw(.element(of: ["kim", "Kim", "lee", "max", "no"])))
    },
    rule("follow") { t, _ in .toggleFollow(t.draw(.element(of: users))) },
    rule("request") { t, _ in .request(t.draw(.element(of: users))) },
    rule("accept") { t, _ in .accept(t.draw(.element(of: users))) },
    rule("remove") { t, _ in .remove(t.draw(.element(of: users))) },
    rule("share") { _, _ in .share },
    rule("chup", if: \.hasWorkouts) { t, model in
      .toggleChup(t.draw(.element(of: model.workouts)))
    },
    rule("delete", if: \.hasCompany) { _, _ in .delete },
  ]

  private static func rule(
    _ name: String, if isPossible: @escaping @Sendable (Model) -> Bool = { _ in true },
    _ draw: @escaping @Sendable (Trial, Model) -> Kind
  ) -> Rule<AggregateStates> {
    Rule(name, if: isPossible) { t, model in
      Command(kind: draw(t, model), user: t.draw(.element(of: users)), core: t.draw(.int(0...1)))
    }
  }

  func system(on interleaver: Interleaver?) async throws -> System {
    var environment = TestClock().environment
    if let interleaver { environment.start = interleaver.start }
    let log = InMemoryLog(environment)
    let store = DistantStore(log: log)
    return System(
      log: log,
      cores: [
        try await Core(store, environment: environment),
        try await Core(store, environment: environment),
      ])
  }

  private static func request(_ act: Command) -> Request {
    func request(_ name: String, _ members: (String, JSONValue)...) -> Request {
      Request(name, as: act.user, with: .object(members.map { .init($0.0, $0.1) }))
    }
    switch act.kind {
    case .create(let handle):
      return request("CreateProfile", ("user", .string(act.user)), ("handle", .string(handle)))
    case .delete: return request("DeleteAccount")
    case .toggleFollow(let user): return request("ToggleFollow", ("followee", .string(user)))
    case .request(let user): return request("SendFriendRequest", ("receiver", .string(user)))
    case .accept(let user): return request("AcceptFriendRequest", ("sender", .string(user)))
    case .remove(let user): return request("RemoveFriend", ("friend", .string(user)))
    case .share:
      return request(
        "ShareWorkout", ("localID", .string("\(act.user)")),
        ("date", .string("2026-01-01T00:00:00Z")), ("workoutType", .string("erg")),
        ("totalTime", .string("00:00.0")), ("totalDistance", .int(0)),
        ("averageSplit", .string("00:00.0")))
    case .toggleChup(let workout): return request("ToggleChup", ("workout", .string(workout)))
    case .counts(let user): return request("RefreshFollowCounts", ("user", .string(user)))
    case .relationship(let user): return request("RefreshRelationship", ("other", .string(user)))
    case .isChupped(let workout): return request("RefreshChups", ("workout", .string(workout)))
    }
  }

  func perform(_ act: Command, on system: System) async -> Response {
    let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
    let reply = await system.cores[act.core].perform([Self.request(act)], photos: photos)[0]
    guard case .success(let value) = reply.result else {
      return Response(text: reply.json["error"]?.text ?? "", events: reply.seqs.count)
    }
    let text: String
    switch (act.kind, value) {
    case (.create, _): text = value["handle"]?.text ?? ""
    case (.isChupped, _): text = value["count"]?.text ?? value.text
    case (_, .string(let word)): text = word
    default: text = value.text
    }
    return Response(text: text, events: reply.seqs.count)
  }

  func respond(to act: Command, _ model: inout Model, seeing response: Response) -> Response {
    let me = act.user
    func refused(_ code: String) -> Response { Response(text: "\"\(code)\"") }
    func answer(_ text: String) -> Response { Response(text: text, events: 1) }
    switch act.kind {
    case .create(let handle):
      if model.isOpen(me) || model.deleted.contains(me) { return refused("profileExists") }
      if handle.count < 3 { return refused("invalidHandle") }
      if model.handles.values.contains(where: { $0.lowercased() == handle.lowercased() })
        || model.resting.contains(handle.lowercased())
      {
        return refused("handleAlreadyTaken")
      }
      model.handles[me] = handle
      return answer("\"\(handle)\"")
    case .delete:
      guard let handle = model.handles[me] else { return refused("profileNotFound") }
      model.resting.insert(handle.lowercased())
      model.handles[me] = nil
      model.deleted.insert(me)
      model.follows = model.follows.filter { !$0.contains(me) }
      model.friendships = model.friendships.filter { !$0.key.contains(me) }
      model.owners = model.owners.filter { $0.value != me }
      model.chups = model.chups.filter { $0[1] != me }
      return answer("null")
    case .toggleFollow(let other):
      if other == me { return refused("cannotFollowSelf") }
      guard model.isOpen(me), model.isOpen(other) else { return refused("profileNotFound") }
      if model.follows.remove([me, other]) != nil { return answer("false") }
      model.follows.insert([me, other])
      return answer("true")
    case .request(let other), .accept(let other), .remove(let other):
      return befriend(act.kind, me, other, &model)
    case .share:
      guard model.isOpen(me) else { return refused("profileNotFound") }
      // The same local id again is the same workout, and nothing changes.
      if let known = model.owners.first(where: { $0.value == me })?.key {
        return Response(text: known)
      }
      if model.owners[response.text] != nil { return answer("an id of its own") }
      model.owners[response.text] = me
      model.workouts.add(response.text)
      return answer(response.text)
    case .toggleChup(let workout):
      guard model.isOpen(me) else { return refused("profileNotFound") }
      guard let owner = model.owners[workout] else { return refused("workoutNotFound") }
      // By the climb rules, followers see an item without an audience.
      // Taking a chup back needs no visibility.
      if model.chups.remove([workout, me]) != nil { return answer("false") }
      guard owner == me || model.areFriends(me, owner) || model.follows.contains([me, owner])
      else { return refused("notVisible") }
      model.chups.insert([workout, me])
      return answer("true")
    case .counts(let user):
      let followers = model.follows.count { $0[1] == user }
      let following = model.follows.count { $0[0] == user }
      return Response(text: #"{"followers":\#(followers),"following":\#(following)}"#)
    default: return response
    }
  }

  private func befriend(
    _ kind: Kind, _ me: String, _ other: String, _ model: inout Model
  ) -> Response {
    func refused(_ code: String) -> Response { Response(text: "\"\(code)\"") }
    let pair = [me, other].sorted()
    if case .request = kind, me == other { return refused("cannotFriendSelf") }
    guard model.isOpen(me) else { return refused("profileNotFound") }
    if case .request = kind, !model.isOpen(other) { return refused("profileNotFound") }
    switch (kind, model.friendships[pair]) {
    case (.request, nil): model.friendships[pair] = me
    case (.request, ""): return refused("alreadyFriends")
    case (.request, me): return refused("alreadyRequested")
    case (.request, _): return refused("alreadyReceived")
    case (.accept, let sender?) where sender == other && me != other:
      model.friendships[pair] = ""
    case (.accept, _): return refused("noSuchRequest")
    case (.remove, ""): model.friendships[pair] = nil
    default: return refused("notFriends")
    }
    return Response(text: "null", events: 1)
  }

  func invariants(_ model: Model, _ system: System) async throws {
    for core in system.cores { #expect(core.brokenInvariant() == nil) }
  }

  func questions(_ model: Model) -> [Command] {
    Self.users.flatMap { user in
      [0, 1].map { Command(kind: .counts(of: user), user: user, core: $0) }
    }
  }

  func log(of system: System) -> (any EventStore)? { system.log }
}

@Suite struct SocietyMachineTests {
  @Test("Use cases answer like a small model, and a refused command appends nothing")
  func steps() async throws {
    try await check(
      runs: Sweep.size(150, 450, 15_000), covering: ["chup": 0.2, "delete": 0.1, "accept": 0.3]
    ) { t in try await t.run(AggregateStates(), steps: 0...40) }
  }

  @Test("Some serial order explains the racing commands of two cores over one log")
  func races() async throws {
    try await check(runs: Sweep.size(100, 300, 20_000)) { t in
      try await t.race(AggregateStates(), after: 0...12)
    }
  }
}
