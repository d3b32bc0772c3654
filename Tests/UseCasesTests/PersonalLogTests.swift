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

  @Test("Each query that the personal log answers has the server's answer", arguments: [
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
            #expect(
              own == server,
              "\(query.name) \(input.text) as \(user)\nphone  \(own)\nserver \(server)\n\(made.text)")
          }
        }
      }
    }
  }

  @Test("No viewer's personal log has alice's secrets, except her own and her friend's", arguments: [
    Rules.erg, .climb,
  ])
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
