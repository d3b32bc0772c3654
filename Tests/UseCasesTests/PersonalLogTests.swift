import Aggregates
import Events
import FaultTesting
import Foundation
import PropertyTesting
import Testing
import UseCasesTesting

@testable import UseCases

/// A personal log answers like the server, and has nothing that its reader may not see.
@Suite struct PersonalLogTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

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
      runs: Sweep.size(12, 40, 1_500), covering: ["GetProfile": 0.5, "GetWorkout": 0.1]
    ) { t in
      let history = t.draw(.history(max: 80), "history")
      var environment = RuntimeEnvironment.system
      let end = history.entries.last?.time ?? .epoch
      environment.now = { end }
      let log = try await history.log(environment)
      let core = try await Core(log, rules: rules, environment: environment)
      var text = ""
      for event in await log.read(after: 0, limit: .max) {
        text += String(decoding: event.line(after: 0), as: UTF8.self)
      }
      let (users, workouts) = (Self.ids("user", in: text), Self.ids("workout", in: text))
      let groups = Self.ids("group", in: text)
      var bounds = PersonalLog.Bounds()
      if t.draw(.bool, "few") {
        (bounds.workoutsPerPerson, bounds.ownWorkouts, bounds.messages) = (3, 10, 2)
        (bounds.perWorkout, bounds.members) = (100, 2)
      }
      for user in users {
        guard let made = try? await core.personalLog(of: user, bounds) else { continue }
        let read = try PersonalLog(text: made.text)
        #expect(read == made)
        let phone = try PersonalReading(read)
        for query in Queries.all {
          let entry = try #require(Registry.find(query.name))
          for input in Self.inputs(entry, users: users, workouts: workouts, groups: groups) {
            let own: Result<JSONValue, UseCaseError>
            do throws(UseCaseError) {
              guard let answer = try phone.answer(query, input) else { continue }
              own = .success(answer)
            } catch {
              own = .failure(error)
            }
            t.label(query.name)
            let request = Request(query.name, as: user, with: input)
            let server = await core.perform(request, photos: Self.photos).result
            let what = "\(query.name) \(input.text) as \(user)"
            #expect(own == server, "\(what)\nphone  \(own)\nserver \(server)\n\(made.text)")
          }
        }
      }
    }
  }

  @Test("The changes since any earlier personal log make the present one")
  func changes() async throws {
    try await check(
      runs: Sweep.size(30, 100, 5_000), covering: ["less": 0.3, "dropped": 0.1]
    ) { t in
      let history = t.draw(.history(max: 60), "history")
      var environment = RuntimeEnvironment.system
      let end = history.entries.last?.time ?? .epoch
      environment.now = { end }
      let log = try await history.log(environment)
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
    #expect(throws: InputError("personalLog", "it has the format 2; update the app")) {
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
