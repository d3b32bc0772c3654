import Aggregates
import Events
import FaultTesting
import Foundation
import Projections
import Synchronization
import Testing
import UseCasesTesting

@testable import UseCases

/// Random commands, most of them by and about a few users, so that every state occurs often.
struct RandomRequests {
  private static let names = Registry.all.filter(\.writes).map(\.about.name)
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Makes the users know each other, so that many commands succeed.
  static let opening: [Request] = {
    let cast = ["ann", "ben", "cem", "dee", "eve"]
    func input(_ name: String, _ value: String) -> JSONValue.Member { .init(name, .string(value)) }
    return cast.map {
      Request("CreateProfile", as: $0, with: .object([input("user", $0), input("handle", $0)]))
    }
      + cast.dropFirst().map {
        Request("SendFriendRequest", as: $0, with: .object([input("receiver", "ann")]))
      }
      + cast.dropFirst().map {
        Request("AcceptFriendRequest", as: "ann", with: .object([input("sender", $0)]))
      }
  }()

  private mutating func one(_ values: [String]) -> String {
    values.randomElement(using: &random) ?? ""
  }
  private mutating func user() -> String { one(["ann", "ben", "cem", "dee", "eve", "nobody"]) }
  private mutating func id(_ kind: String) -> String {
    return "\(kind)\(Int.random(in: 0..<(kind == "c" ? 3 : 5), using: &random))"
  }

  mutating func next() -> Request {
    var fields: [JSONValue.Member] = []
    let often = [
      "GiveReaction", "ShareWorkout", "PostComment", "ToggleCommentHeart", "ToggleChup",
      "FollowUser",
    ]
    let name = Bool.random(using: &random) ? one(often) : one(Self.names)
    guard let entry = Registry.find(name) else { return Request(name) }
    for field in entry.fields where field.isRequired || Bool.random(using: &random) {
      fields.append(.init(field.name, value(field)))
    }
    let actor = Int.random(in: 0..<40, using: &random) == 0 ? nil : user()
    if let index = fields.firstIndex(where: { $0.name == "user" }), Bool.random(using: &random) {
      fields[index].value = .optional(actor)
    }
    // Deleted accounts stay deleted, so this is rare; otherwise all users would soon be gone.
    if entry.about.name == "DeleteAccount", Int.random(in: 0..<60, using: &random) > 0 {
      return Request("ListSports")
    }
    return Request(entry.about.name, as: actor, with: .object(fields))
  }

  private mutating func value(_ field: Field) -> JSONValue {
    switch (field.name, field.kind) {
    case ("user", _), ("followee", _), ("receiver", _), ("sender", _), ("friend", _):
      return .string(user())
    case ("handle", _): return .string(one(["ann", "BEN", "cem", "Dee", "eve_1", "x", "a b"]))
    case ("workout", _): return .string(id("w"))
    case ("comment", _), ("replyTo", _): return .string(id("c"))
    case ("localID", _): return .string(id("l"))
    case ("totalTime", _), ("averageSplit", _), ("time", _), ("splitPer500m", _):
      return .string(one(["07:30.0", "01:52.5", "1:00:00.0", "7:30", "7:3"]))
    case ("sport", _): return .string(one(["ski", "rowing", "chess"]))
    case (_, .text): return .string(one(["hello", " trim ", "", "é", "👨‍👩‍👧‍👦"]))
    case (_, .flag): return .bool(Bool.random(using: &random))
    case (_, .integer): return .int(Int.random(in: -1...9_000, using: &random))
    case (_, .number): return .double(Double.random(in: -200...200, using: &random))
    case (_, .date): return .string("2020-02-29")
    case (_, .dateTime), (_, .dateOrTime):
      return .string(one(["2026-01-01T10:00:00Z", "2026-02-01T23:30:00-02:00"]))
    case (_, .image): return .string(one(["data:;base64,\(pixelText)", "data:;base64,AAAA"]))
    case (_, .choice(let names)): return .string(one(names))
    case (_, .list(.object(_, let fields))):
      return .array(
        (0..<Int.random(in: 0...2, using: &random)).map { _ in
          .object(fields.filter(\.isRequired).map { .init($0.name, value($0)) })
        })
    case (_, .list), (_, .object), (_, .optional), (_, .nothing): return .null
    }
  }
}

@Suite struct HistoryTests {
  private static let isSweep =
    Sweep.chosen != .short
  static let seeds: Range<UInt64> = 0..<(isSweep ? 200 : 12)
  private let ports = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  /// The data behind a core's decisions and answers, by name, independent of numbers.
  private func facts(_ core: Core) throws -> [String] {
    try core.state.withLock { state in
      var model = state.model
      var facts: [String] = []
      let users = ["ann", "ben", "cem", "dee", "eve", "nobody"]
      let ids = try users.map { try model.names.user($0) }
      let workouts = try (0..<8).map { try model.names.workout("w\($0)") }
      let comments = try (0..<8).map { try model.names.comment("c\($0)") }
      let (names, society) = (model.names, model.aggregates.value)
      for user in ids {
        let profile = society.profile(user)
        facts.append(
          "\(names[user]) \(profile.handle ?? "") \(profile.account) \(profile.sports.count)")
        let shown = model.profile(user, for: .user(user)).json.text
        facts.append("\(names[user]) \(shown)")
        for handle in ["ann", "ben", "cem", "dee", "eve_1"] {
          let isFree = society.isFree(handle, for: user, at: model.now, model.rules)
          facts.append("\(names[user]) \(handle) \(isFree)")
        }
        for other in ids {
          let edge = Follow(follower: user, followee: other)
          facts.append("\(names[user]) \(names[other]) \(society.isFollowing(edge))")
          let isFriend = society.friendship(user, other) == .friends
          facts.append("friends \(isFriend) \(model.views.all.relationships[user, other])")
        }
        for local in 0..<8 {
          let earlier = society.earlier(user, "l\(local)").map { names[$0] }
          facts.append("\(names[user]) l\(local) \(earlier ?? "none")")
        }
        for workout in workouts {
          let visibility = society.visibility(workout, user, .climb)
          let isChupped = model.views.all.chups.hasChupped(workout, user)
          facts.append("\(names[user]) \(names[workout]) \(visibility) \(isChupped)")
          if model.views.all.workouts[workout] != nil {
            // The states for decisions and for answers agree.
            let state = society.chup(workout, user)
            #expect((state != .none) == isChupped || !society.exists(user))
            let reacted = model.views.all.reactions.kinds(workout, user)
            #expect(society.reactions(workout, user) == reacted || !society.exists(user))
          }
        }
        for comment in comments {
          let heart = Heart(comment: comment, user: user)
          facts.append("\(names[user]) \(names[comment]) \(society.isHearted(heart))")
        }
      }
      for workout in workouts {
        facts.append("\(names[workout]) \(model.views.all.comments.of(workout).map { names[$0] })")
        let isShared = society.owner(workout) != nil
        #expect(isShared == (model.views.all.workouts[workout] != nil))
      }
      return facts.sorted()
    }
  }

  @Test(
    "Any requests append only allowed events, and a core that replays them agrees",
    arguments: seeds)
  func histories(_ seed: UInt64) async throws {
    let log = InMemoryLog()
    let core = try await Core(log)
    var requests = RandomRequests(seed: seed)
    _ = await core.perform(RandomRequests.opening, photos: ports)
    for _ in 0..<12 {
      _ = await core.perform((0..<50).map { _ in requests.next() }, photos: ports)
    }
    #expect(core.position > 60, "seed \(seed)")
    var audit = Audit()
    var names = Names()
    var findings: [String] = []
    try log.history().forEachEventOfCommits(&names) { event, actor, moment, endsCommit in
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        findings.append($0.description)
      }
    }
    #expect(findings == [], "seed \(seed)")
    #expect(core.brokenInvariant() == nil, "seed \(seed)")
    #expect(try facts(core) == facts(try await Core(log)), "seed \(seed)")
  }

  @Test(
    "A core has the log's state, whatever the store refuses and others append",
    arguments: seeds)
  func failures(_ seed: UInt64) async throws {
    let log = InMemoryLog()
    let store = FlakyStore(log, seed: seed)
    let (one, two) = (try await Core(store), try await Core(log))
    var requests = RandomRequests(seed: seed)
    _ = await two.perform(RandomRequests.opening, photos: ports)
    for _ in 0..<30 {
      _ = await one.perform((0..<10).map { _ in requests.next() }, photos: ports)
      _ = await two.perform((0..<10).map { _ in requests.next() }, photos: ports)
    }
    try await one.catchUp()
    #expect(store.refusals > 3, "seed \(seed)")
    #expect(one.brokenInvariant() == nil, "seed \(seed)")
    #expect(try facts(one) == facts(try await Core(log)), "seed \(seed)")
  }
}

/// A store that occasionally refuses a commit, and every later one in the call.
private final class FlakyStore: EventStore {
  private let log: InMemoryLog
  private let state: Mutex<(random: SplitMix64, refusals: Int)>

  init(_ log: InMemoryLog, seed: UInt64) {
    self.log = log
    state = Mutex((SplitMix64(seed: seed), 0))
  }

  var refusals: Int { state.withLock { $0.refusals } }

  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    let good = state.withLock { state in
      let good = Int.random(in: 0..<3, using: &state.random)
      if good < commits.count { state.refusals += 1 }
      return good
    }
    if good >= commits.count { return await log.append(commits) }
    let results = await log.append(Array(commits[..<good]))
    if results.count < good || results.contains(where: { (try? $0.get()) == nil }) {
      return results
    }
    return results + [.failure(.closed(reason: "no room"))]
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
