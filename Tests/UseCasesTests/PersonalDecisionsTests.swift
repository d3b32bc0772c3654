import Aggregates
import EventLog
import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCasesTesting

@testable import PersonalLogs
@testable import UseCases

/// A phone decides commands on a personal log like the server on its log, if nothing happened in
/// between.
@Suite struct PersonalDecisionsTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  @Test(
    "A phone refuses only what the server refuses, with its error, and expects its events",
    arguments: [Rules.climb, .erg, .ride])
  func decisions(rules: Rules) async throws {
    try await check(
      runs: Sweep.size(8, 40, 3_000),
      covering: ["accepted": 0.5, "refused": 0.3, "offline": 0.1]
    ) { t in
      let core = try await Core(InMemoryLog(), rules: rules)
      let blank = try await Core.deciding(.standard, .system)
      for user in ["u1", "u2", "u3", "u4"] {
        _ = try await CreateProfile(core).execute(
          .init(user: user, handle: user + "_x", isPublic: t.draw(.bool, "public")),
          as: Caller(user))
      }
      let requests = t.draw(.array(of: .request(isCommand: true), 10...60), "commands")
      for request in requests {
        guard let user = request.user, let log = try? await core.personalLog(of: user) else {
          continue
        }
        var reading = try PersonalReading(try PersonalLog(text: log.text))
        let time = core.environment.now()
        let prediction = Result { () throws(UseCaseError) in
          try reading.decide(request.name, request.input, at: time, for: blank)
        }
        var sent = request
        if case .success(let expected?) = prediction {
          (sent.name, sent.input) = (expected.name, expected.input)
        }
        let before = core.position
        let server = await core.perform(sent, photos: Self.photos)
        let events = try await core.store.read(after: before, limit: 100)
        let what = "\(request.name) \(sent.input.text) as \(user): \(server.result)"
        switch (prediction, server.result) {
        case (.success(nil), _): t.label("photo")
        case (.failure(.offline(let reason)), _):
          #expect(!reason.isEmpty)
          t.label("offline")
        case (.failure(let error), .failure(let other)):
          #expect(error == other, "\(what)")
          t.label("refused")
        case (.failure(let error), .success):
          Issue.record("the phone refused with \(error): \(what)")
        case (.success, .failure(let error)):
          // The phone does not know all handles, nor people whom the person does not see.
          var mayDiffer = ["handleAlreadyTaken", "groupNotFound", "alreadyMember", "profileExists"]
          // An id of a new item may be the id of an item that the person does not see.
          if ["ShareWorkout", "ShareWorkouts"].contains(sent.name) {
            mayDiffer.append("workoutNotFound")
          }
          #expect(mayDiffer.contains(error.code), "the phone accepted: \(what)")
        case (.success(let expected?), .success):
          t.label("accepted")
          // Notifications are not in the personal log.
          if sent.name == "MarkNotificationsRead" { continue }
          #expect(expected.events == EventsHash(events), "\(what): \(events.map(\.type))")
        }
      }
    }
  }

  @Test("The ids of new items are put into the input, also into lists")
  func ids() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let blank = try await Core.deciding(.standard, .system)
    _ = try await CreateProfile(core).execute(.init(user: "ann", handle: "ann_x"), as: "ann")
    var reading = try PersonalReading(await core.personalLog(of: "ann"))
    let date = DateTime(core.environment.now())
    let group = try reading.decide(
      CreateGroup.self, .init(name: "Boulderers"), at: date.instant, for: blank)
    #expect(group.input["group"] == group.expected)
    let workouts = ShareWorkouts.Input(workouts: [
      .init(date: date, text: "one"), .init(workout: "w2", date: date, text: "two"),
      .init(date: date, text: "three"),
    ])
    let shared = try reading.decide(ShareWorkouts.self, workouts, at: date.instant, for: blank)
    guard case .array(let items)? = shared.input["workouts"], case .array(let ids) = shared.expected
    else {
      Issue.record("no lists")
      return
    }
    #expect(items.map { $0["workout"] } == ids && ids[1] == .string("w2"))
    #expect(try reading.answer(GetFeed.self, .init())?.count == 3)
    reading.dropPending()
    #expect(try reading.answer(GetFeed.self, .init())?.isEmpty == true)
    // A new id is nobody else's, so the refusal is certain.
    #expect(throws: UseCaseError.refused(.invalidWorkout(field: "text"))) {
      try reading.decide(ShareWorkout.self, .init(date: date), at: date.instant, for: blank)
    }
  }

  @Test("A toggle becomes the command that leads to the state, and is not decided on a guess")
  func toggles() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let blank = try await Core.deciding(.standard, .system)
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
    for number in 1...3 {
      _ = try await ShareWorkout(core).execute(
        .init(workout: "w\(number)", date: .now, text: "Ten boulders", audience: .public),
        as: "bob")
      _ = try await GiveChup(core).execute(.init(workout: "w\(number)"), as: "ann")
    }
    var bounds = PersonalLog.Bounds()
    bounds.workoutsWithReactions = 1
    var reading = try PersonalReading(await core.personalLog(of: "ann", bounds))
    let now = core.environment.now()
    let follow = try reading.decide(
      ToggleFollow.self, .init(followee: "bob"), at: now, for: blank)
    #expect(follow.name == "UnfollowUser" && follow.expected == .bool(false))
    let again = try reading.decide(ToggleFollow.self, .init(followee: "bob"), at: now, for: blank)
    #expect(again.name == "FollowUser" && again.expected == .bool(true))
    let newest = try reading.decide(ToggleChup.self, .init(workout: "w3"), at: now, for: blank)
    #expect(newest.name == "WithdrawChup" && newest.expected == .null)
    let reason = "the phone does not have the reactions to this workout"
    #expect(throws: UseCaseError.offline(reason: reason)) {
      try reading.decide(ToggleChup.self, .init(workout: "w1"), at: now, for: blank)
    }
  }

  @Test("After a failed sync, a command that needs an earlier one of its outbox is not refused")
  func failedSync() async throws {
    let disk = SimulatedDisk()
    let log = try FileLog(path: "/log", creating: true, files: disk.files)
    let core = try await Core(log, rules: .climb)
    let journal = RetryJournal("/log", files: disk.files, now: { core.environment.now() })
    _ = try await CreateProfile(core).execute(.init(user: "ann", handle: "ann_x"), as: "ann")
    let workout =
      #"{"workout":"w","date":"2026-01-05T10:00:00Z","workoutType":"2000m","#
      + #""totalTime":"07:30.0","totalDistance":2000,"audience":"public"}"#
    let commands = try [
      ("FollowUser", #"{"followee":"ann"}"#), ("ShareWorkout", workout),
      ("PostComment", #"{"workout":"w","text":"hm"}"#),
    ].enumerated().map { number, item -> Core.KeyedCommand in
      let command = OutboxCommand(key: "\(number)", name: item.0, input: try JSONValue(item.1))
      return (command, IdempotencyKey(tail: UInt64(number + 1) << 32, body: UInt64(number)))
    }
    disk.begin { call, path, _ in
      call == "sync" && path.hasSuffix(".jsonl") ? SimulatedDisk.Failure(code: 5) : nil
    }
    let failed = await core.perform(commands, as: "ann", journal, explaining: 0)
    #expect(failed.map(\.isFinal) == [true, false, false], "\(failed)")
    log.close()
    disk.begin()
    let reopened = try await Core(FileLog(path: "/log", files: disk.files), rules: .climb)
    let again = await reopened.perform(commands, as: "ann", journal, explaining: 0)
    #expect(again.map { $0.events == .none } == [true, false, false], "\(again)")
    #expect(again[0].result == failed[0].result)
    // Three events: the profile, the workout and the comment.
    #expect(reopened.position == 3)
  }

  @Test("An outbox is performed in order and once; commands without events keep their answer")
  func outbox() async throws {
    let disk = SimulatedDisk()
    let log = try FileLog(path: "/log", creating: true, files: disk.files)
    let core = try await Core(log, rules: .climb)
    let journal = RetryJournal("/log", files: disk.files, now: { core.environment.now() })
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: Caller(user))
    }
    func command(_ key: String, _ name: String, _ input: String) throws -> Core.KeyedCommand {
      let command = OutboxCommand(key: key, name: name, input: try JSONValue(input))
      let tail = XXH64.hash(Array(key.utf8), seed: 0)
      return (command, IdempotencyKey(tail: tail, body: XXH64.hash(Array(input.utf8), seed: 1)))
    }
    let first = [
      try command("1", "FollowUser", #"{"followee":"bob"}"#),
      try command("2", "FollowUser", #"{"followee":"bob"}"#),
      try command("3", "FollowUser", #"{"followee":"ann"}"#),
      try command("4", "UnfollowUser", #"{"followee":"bob"}"#),
    ]
    let replies = await core.perform(first, as: "ann", journal, explaining: 1)
    #expect(replies.map(\.key) == ["1", "2", "3", "4"])
    #expect(replies.map { $0.events == .none } == [false, true, true, false])
    #expect(replies[2].result == .failure(.refused(.cannotFollowSelf)))
    #expect(replies[2].explanation?["code"] == .string("cannotFollowSelf"))
    // Without the journal, the later commands show that the second one was performed.
    for journal in [journal, RetryJournal(nil, now: { core.environment.now() })] {
      let again = await core.perform(first, as: "ann", journal, explaining: 1)
      #expect(again.map(\.position) == replies.map(\.position))
      #expect(again.map(\.events) == replies.map(\.events))
      #expect(again[1].result == replies[1].result && again[2].result == replies[2].result)
      #expect(again[0].result == nil && again[3].result == nil)
    }
    #expect(core.position == 4)
    let other = await core.perform(
      [try command("1", "FollowUser", #"{"followee":"u9"}"#)], as: "ann", journal, explaining: 0)
    #expect(
      other[0].result
        == .failure(.invalidInput(InputError("key", "this key was used with another input"))))
  }
}
