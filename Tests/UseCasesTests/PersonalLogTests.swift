import Aggregates
import Events
import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCasesTesting

@testable import PersonalLogs
@testable import UseCases

/// A personal log answers like the server, and has nothing that its reader may not see.
@Suite struct PersonalLogTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  /// Draws a history, and returns its log with a clock that shows the time of its last event.
  private static func log(
    _ t: Trial, max: Int
  ) async throws -> (InMemoryLog, RuntimeEnvironment) {
    let history = t.draw(.history(max: max), "history")
    var environment = RuntimeEnvironment.system
    let end = history.entries.last?.time ?? .epoch
    environment.now = { end }
    return (try await history.log(environment), environment)
  }

  /// Returns inputs for a query: each id of the history in each field for ids.
  private static func inputs(
    _ entry: Registry.Entry, users: [String], workouts: [String], groups: [String]
  ) -> [JSONValue] {
    var inputs: [[JSONValue.Member]] = [[]]
    for field in entry.fields {
      var values: [JSONValue] =
        switch field.name {
        case "user", "other", "follower", "followee", "with", "owner":
          users.map { .string($0) }
        case "workout": workouts.map { .string($0) }
        case "group": groups.map { .string($0) }
        case "handle", "query": users.map { .string($0 + "_x") }
        case "limit": [.int(2)]
        case "period": [.string("week")]
        case "containing": [.string("2026-01-20")]
        default: []
        }
      if values.isEmpty, field.isRequired { values = [.string("x")] }
      let given = inputs.flatMap { input in values.map { input + [.init(field.name, $0)] } }
      inputs = field.isRequired ? given : inputs + given
    }
    return inputs.map { .object($0) }
  }

  private static func ids(_ member: String, in text: String) -> [String] {
    var found: [String] = []
    for part in text.components(separatedBy: "\"\(member)\":\"").dropFirst() {
      let id = String(part.prefix { $0 != "\"" })
      if !found.contains(id) { found.append(id) }
    }
    return found
  }

  @Test(
    "Each query that the personal log answers has the server's answer",
    arguments: [
      Rules.climb, .erg, .ride,
    ])
  func answers(rules: Rules) async throws {
    try await check(
      runs: Sweep.size(5, 24, 1_500), covering: ["GetProfile": 0.5, "GetWorkout": 0.1]
    ) { t in
      let (log, environment) = try await Self.log(t, max: 80)
      let core = try await Core(log, rules: rules, environment: environment)
      var text = ""
      for event in await log.read(after: 0, limit: .max) {
        text += String(decoding: event.line(after: 0), as: UTF8.self)
      }
      let (users, workouts) = (Self.ids("user", in: text), Self.ids("workout", in: text))
      let groups = Self.ids("group", in: text)
      var bounds = PersonalLog.Bounds()
      if t.draw(.bool, "few") {
        (bounds.workoutsPerPerson, bounds.workoutsWithReactions) = (3, 6)
        (bounds.messages, bounds.members) = (2, 2)
        (bounds.ownWorkouts, bounds.unreadMessages) = (2, 1)
      }
      for user in users {
        guard let made = try? await core.personalLog(of: user, bounds) else { continue }
        let read = try PersonalLog(text: made.text)
        #expect(read == made)
        let phone = try PersonalReading(read)
        var shown: Set<String> = [user]
        for query in Queries.all {
          let entry = try #require(Registry.find(query.name))
          for input in Self.inputs(entry, users: users, workouts: workouts, groups: groups) {
            let request = Request(query.name, as: user, with: input)
            let server = await core.perform(request, photos: Self.photos).result
            if case .success(let answer) = server { shown.formUnion(answer.texts) }
            let own: Result<JSONValue, UseCaseError>
            do throws(UseCaseError) {
              guard let answer = try phone.answer(query, input) else { continue }
              own = .success(answer)
            } catch {
              own = .failure(error)
            }
            t.label(query.name)
            let what = "\(query.name) \(input.text) as \(user)"
            #expect(own == server, "\(what)\nphone  \(own)\nserver \(server)\n\(made.text)")
          }
        }
        expectOnly(shown, in: made)
      }
    }
  }

  @Test("Lists keep their order, and feeds end where the log ends")
  func orders() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let start = try #require(Timestamp("2026-01-01T00:00:00.000Z"))
    func at(_ day: Int64, _ user: String = "ann") -> Caller {
      Caller(user, at: Timestamp(milliseconds: start.milliseconds + day * 86_400_000))
    }
    func date(_ day: Int64) -> DateTime { DateTime(at(day).time ?? start) }
    for user in ["ann", "bob"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: at(0, user))
    }
    _ = try await FollowUser(core).execute(.init(followee: "ann"), as: at(0, "bob"))
    for group in ["g1", "g2", "g3"] {
      _ = try await CreateGroup(core).execute(
        .init(group: group, name: group, isPublic: true), as: at(0))
    }
    for day in 1...9 as ClosedRange<Int64> {
      _ = try await ShareWorkout(core).execute(
        .init(workout: "w\(day)", date: date(day), text: "day \(day)"), as: at(day))
      _ = try await PostComment(core).execute(
        .init(workout: "w\(day)", text: "hi"), as: at(day, "bob"))
    }
    // The workout of the first day is edited to a day much later than it was shared.
    var edit = EditWorkout.Input(workout: "w1")
    edit.date = date(20)
    _ = try await EditWorkout(core).execute(edit, as: at(19))
    var bounds = PersonalLog.Bounds()
    bounds.workoutsWithReactions = 4
    let log = try await core.personalLog(of: "ann", bounds)
    let phone = try PersonalReading(try PersonalLog(text: log.text))
    let groups = try phone.answer(GetGroups.self, .init())?.map(\.group)
    #expect(groups == (try await GetGroups(core).execute(.init(), as: "ann")).map(\.group))
    let first = try phone.answer(GetFeed.self, .init(limit: 4))
    #expect(first?.map(\.workout) == ["w1", "w9", "w8", "w7"])
    #expect(first == (try await GetFeed(core).execute(.init(limit: 4), as: "ann")))
    #expect(try phone.answer(GetFeed.self, .init(limit: 5)) == nil)
    #expect(try phone.answer(GetComments.self, .init(workout: "w7"))?.count == 1)
    #expect(try phone.answer(GetComments.self, .init(workout: "w2")) == nil)
    #expect(try phone.answer(GetWorkout.self, .init(workout: "w2"))?.text == "day 2")
    #expect(try phone.answer(GetFollowers.self, .init(user: "bob")) == nil)
    #expect(try phone.answer(GetProfile.self, .init(handle: "BOB_X"))?.user == "bob")
    #expect(try phone.answer(GetProfile.self, .init(user: "zed")) == nil)
    // Bounds of any size are accepted.
    for number in [Int.min, 0, Int.max] {
      (bounds.workoutsPerPerson, bounds.workoutsWithReactions) = (number, number)
      (bounds.messages, bounds.members) = (number, number)
      (bounds.ownWorkouts, bounds.unreadMessages) = (number, number)
      _ = try await core.personalLog(of: "bob", bounds)
    }
    // A newer version of a known type needs a newer app.
    var newer = log
    newer.parts[0].lines[0].version = 9
    #expect(throws: InputError("ProfileCreated", "it has the version 9; update the app")) {
      try PersonalReading(newer)
    }
  }

  @Test("Own workouts and unread messages have bounds, and a phone does not answer beyond them")
  func ownBounds() async throws {
    let core = try await Core(InMemoryLog(), rules: .climb)
    let start = try #require(Timestamp("2026-01-05T08:00:00.000Z"))
    func at(week: Int64, _ user: String = "ann") -> Caller {
      Caller(user, at: Timestamp(milliseconds: start.milliseconds + week * 7 * 86_400_000))
    }
    for user in ["ann", "bob", "cem"] {
      _ = try await CreateProfile(core).execute(
        .init(user: user, handle: user + "_x"), as: at(week: 0, user))
    }
    for user in ["bob", "cem"] {
      _ = try await FollowUser(core).execute(.init(followee: user), as: at(week: 0))
      _ = try await FollowUser(core).execute(.init(followee: "ann"), as: at(week: 0, user))
    }
    for week in 0..<5 as Range<Int64> {
      let date = DateTime(at(week: week).time ?? start)
      _ = try await ShareWorkout(core).execute(
        .init(workout: "w\(week)", localID: "l\(week)", date: date, text: "week \(week)"),
        as: at(week: week))
    }
    for (user, count) in [("bob", 5), ("cem", 2)] {
      for number in 1...count {
        _ = try await SendMessage(core).execute(
          .init(to: "ann", text: "message \(number)"), as: at(week: 4, user))
      }
    }
    var bounds = PersonalLog.Bounds()
    (bounds.ownWorkouts, bounds.messages, bounds.unreadMessages) = (3, 2, 1)
    let log = try PersonalLog(text: try await core.personalLog(of: "ann", bounds).text)
    #expect(log.text.contains(#""ownWorkouts":3,"#) && log.text.contains(#""unreadMessages":1,"#))
    let own = try #require(log.part("workouts/ann"))
    #expect(own.isCut && own.lines.count == 3)
    let unread = try #require(log.part("conversation/bob"))
    #expect(unread.isCut && unread.lines.count == 3 && unread.counts["unread"] == 5)
    #expect(log.part("conversation/cem")?.isCut == false)

    var phone = try PersonalReading(log)
    #expect(try phone.answer(GetConversations.self, .init()) == nil)
    #expect(try phone.answer(GetMessages.self, .init(with: "bob", limit: 3))?.count == 3)
    #expect(try phone.answer(GetMessages.self, .init(with: "bob", limit: 4)) == nil)
    for week in 0..<5 as Range<Int64> {
      var input = GetWeeklyMeters.Input()
      input.containing = try #require(at(week: week).time).date
      let server = try await GetWeeklyMeters(core).execute(input, as: "ann")
      #expect(try phone.answer(GetWeeklyMeters.self, input) == (week > 2 ? server : nil))
    }
    // The phone cannot say that an old workout does not exist.
    let blank = try await Core.deciding(.standard, .system)
    #expect(throws: UseCaseError.self) {
      try phone.decide(RemoveWorkout.self, .init(workout: "w0"), at: log.time, for: blank)
    }
    // With the default bounds, it has all.
    let whole = try PersonalReading(await core.personalLog(of: "ann"))
    #expect(try whole.answer(GetConversations.self, .init())?.map(\.unread) == [2, 5])
  }

  /// Checks that a personal log has only texts and times that some answer shows to the reader.
  private func expectOnly(_ shown: Set<String>, in log: PersonalLog) {
    for part in log.parts {
      for line in part.lines {
        let texts = ((try? JSONValue(object: line.data)) ?? .null).texts
        for text in texts + ["\(line.time)"] where !shown.contains(text) {
          let isStub = part.key == "person/\(text)" && part.lines.count == 1
          // The partner of a conversation stays its key after the deletion of the account.
          let isPartner =
            part.key == "conversation/\(text)" && part.lines.last?.type == "AccountDeleted"
          // A read mark's id has the time of a message.
          let isMark = line.type == "ConversationRead" && EventID(text) != nil
          #expect(
            isStub || isPartner || isMark || line.time == .epoch && text == "\(line.time)"
              || text.hasPrefix("service:hidden-"),
            "\(text) of \(part.key) is not shown to \(log.reader): \(line)\n\(log.text)")
        }
      }
    }
  }

  @Test("The changes since any earlier personal log make the present one")
  func changes() async throws {
    try await check(
      runs: Sweep.size(30, 90, 5_000), covering: ["less": 0.3, "dropped": 0.1]
    ) { t in
      let (log, environment) = try await Self.log(t, max: 60)
      let events = await log.read(after: 0, limit: .max)
      let present = try await Core(log, environment: environment)
      let past = InMemoryLog(environment)
      let count = t.draw(.int(0...events.count), "events of the past")
      for event in events.prefix(count) {
        for result in await past.append([Commit([NewEvent(event)])]) { _ = try result.get() }
      }
      let core = try await Core(past, environment: environment)
      for user in ["u1", "u2", "u3", "u4"] {
        guard let now = try? await present.personalLog(of: user),
          let earlier = try? await core.personalLog(of: user)
        else { continue }
        let text = now.text(since: try PersonalLog.Held(earlier.held.json))
        #expect(try PersonalLog(text: text, since: earlier.parts) == now)
        t.label("less", if: text.utf8.count < now.text.utf8.count)
        t.label("dropped", if: earlier.parts.contains { now.part($0.key) == nil })
        #expect(now.text(since: now.held).utf8.split(separator: 0x0a).count == 2)
        // Without one of the parts that the server thinks the phone has, it is not read.
        if text != now.text {
          #expect(throws: InputError.self) { try PersonalLog(text: text, since: []) }
        }
      }
    }
  }

  @Test("A personal log that is cut off, or of a newer format, is refused with a sentence")
  func refusals() async throws {
    let core = try await ViewpointTests.society().core
    let text = try await core.personalLog(of: "bob").text
    let lines = text.split(separator: "\n")
    for count in 0..<lines.count {
      let part = lines.prefix(count).joined(separator: "\n")
      #expect(throws: InputError.self, "\(count) lines") { try PersonalLog(text: part) }
    }
    let newer = text.replacingOccurrences(of: #""personalLog":1"#, with: #""personalLog":2"#)
    #expect(throws: InputError("format", "the personal log has the format 2")) {
      try PersonalLog(text: newer)
    }
    // Unknown types, such as those of a newer server, are skipped.
    var log = try PersonalLog(text: text)
    log.parts[0].lines.append(
      .init(time: .epoch, type: "AuraSet", version: 1, data: Array("{}".utf8)))
    #expect(try PersonalReading(log).answer(GetProfile.self, .init())?.user == "bob")
  }

  @Test("Over HTTP a user gets the own personal log and its changes; a service gets none")
  func http() async throws {
    let core = try await ViewpointTests.society(.climb).core
    let service = TestService(core, Self.photos, now: RuntimeEnvironment.system.now)
    let whole = await service.send("GET", "/v1/personal-log", as: "bob")
    #expect(whole.status == 200)
    let log = try PersonalLog(text: whole.body)
    #expect(log.reader == "bob" && log.position == core.position)
    _ = try await FollowUser(core).execute(.init(followee: "sam"), as: "bob")
    let changes = await service.send(
      "POST", "/v1/personal-log", as: "bob", body: log.held.json.text)
    let now = try PersonalLog(text: changes.body, since: log.parts)
    #expect(changes.body.utf8.count < whole.body.utf8.count)
    #expect(try PersonalReading(now).answer(GetFollowCounts.self, .init())?.following == 1)
    #expect(await service.send("GET", "/v1/personal-log", as: "service:jobs").status == 403)
    #expect(await service.send("GET", "/v1/personal-log", as: "zed").status == 404)
    #expect(await service.send("GET", "/v1/personal-log", as: nil).status == 401)
    let wrong = await service.send("POST", "/v1/personal-log", as: "bob", body: #"{"have":1}"#)
    #expect(wrong.status == 400 && wrong.body.contains("only parts and keys are expected"))
  }

  @Test(
    "Only alice's own and her friend's personal logs have her secrets",
    arguments: [Rules.erg, .climb])
  func secrets(rules: Rules) async throws {
    let core = try await ViewpointTests.society(rules).core
    for viewer in ["alice", "bob", "eve", "sam", "fay", "gus", "hal"] {
      let text = try await core.personalLog(of: viewer).text
      let sees = ["alice", "bob"].contains(viewer)
      // eve and gus wrote comments of their own, which are in nobody's log but their friends'.
      #expect(ViewpointTests.hasSecret(text) == sees, "\(viewer): \(text)")
    }
    await #expect(throws: UseCaseError.refused(.profileNotFound)) {
      try await core.personalLog(of: "dan")
    }
  }
}
