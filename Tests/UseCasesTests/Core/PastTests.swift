import Events
import FaultTesting
import Projections
import PropertyTesting
import Testing
import UseCasesTesting

@testable import UseCases

@Suite struct PastTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
  /// The queries; in the short sweep not those that only catch up first.
  private static let queries = Registry.all.filter { entry in
    !entry.writes && (Sweep.chosen != .short || !entry.about.name.hasPrefix("Refresh"))
  }

  /// Whether a query is about everybody; all others need the events of only a few users.
  private static func isAboutEverybody(_ request: Request) -> Bool {
    switch request.name {
    case "SearchProfiles": true
    case "GetLeaderboard", "RefreshLeaderboard": request.input["friendsOnly"] != .bool(true)
    default: false
    }
  }

  /// The ids and handles that a history names, and some that it does not.
  private struct Words {
    var users = ["nobody"]
    var workouts = ["nothing"]
    var handles = ["nobody"]

    init(_ history: GeneratedHistory) {
      let names = history.names
      users += (0..<UInt32(names.userCount)).map { names[UserID(index: $0)] }
      workouts += (0..<UInt32(names.workoutCount)).map { names[WorkoutID(index: $0)] }
      for entry in history.entries {
        switch entry.event {
        case .profile(.created(let data)): handles += data.handle.map { [$0] } ?? []
        case .profile(.edited(let data)):
          if case .set(let handle) = data.handle { handles.append(handle.uppercased()) }
        default: break
        }
      }
    }

    func value(_ field: Field, about user: String, _ t: Trial) -> JSONValue {
      switch field.kind {
      case .flag: return .bool(t.draw(.bool))
      case .integer: return .int(t.draw(.int(0...4)))
      case .choice(let words): return .string(t.draw(.element(of: words)))
      case .date, .dateTime, .dateOrTime:
        return .string(t.draw(.element(of: ["2026-01-01", "2026-01-05", "2025-12-31"])))
      default: break
      }
      switch field.name {
      case "user", "owner", "follower": return .string(user)
      case "workout": return .string(t.draw(.element(of: workouts)))
      case "handle": return .string(t.draw(.element(of: handles)))
      case "query": return .string("us")
      default: return .string(t.draw(.element(of: users)))
      }
    }

    /// A query about a user, with a random caller or none.
    func request(_ entry: Registry.Entry, about user: String, _ t: Trial) -> Request {
      let members = entry.fields.filter { $0.isRequired || t.draw(.bool) }.map {
        JSONValue.Member($0.name, value($0, about: user, t))
      }
      let caller = t.draw(
        .frequency([(4, .just(user)), (4, .element(of: users)), (1, .just(nil))]))
      return Request(entry.about.name, as: caller, with: .object(members))
    }
  }

  /// A history and one of its revisions; in half of them an account is deleted before.
  private static func past(_ t: Trial) -> (history: GeneratedHistory, revision: Int) {
    var history = t.draw(t.draw(.bool) ? .history(max: 60) : .hostileHistory(max: 60), "history")
    let revision = t.draw(.int(0...history.count), "revision")
    if revision > 0, t.draw(.bool) {
      let users = 0..<UInt32(history.names.userCount)
      let user = UserID(index: UInt32(t.draw(.int(0...users.count - 1), "deleted")))
      let at = t.draw(.int(0...revision - 1), "at")
      history.entries[at].event = .accountDeleted(UserReference(user: user))
      t.label("deleted")
    }
    return (history, revision)
  }

  @Test("A query at a revision answers like a log that ends there, and reads fewer events")
  func queries() async throws {
    try await check(
      runs: Sweep.size(10, 45, 2_000), covering: ["refused": 0.5, "deleted": 0.05]
    ) { t in
      let (history, revision) = Self.past(t)
      let view = try await history.log().view()
      let cut = try await Core(history.prefix(revision).log())
      let past = try await Past(of: view, until: UInt64(revision), worth: .always)
      let words = Words(history)
      var left: [Request] = []
      for entry in Self.queries {
        for user in words.users {
          let request = words.request(entry, about: user, t)
          if Self.isAboutEverybody(request) {
            left.append(request)
            continue
          }
          let expected = await cut.perform([request], photos: Self.photos)[0]
          let answer = await past.perform(request)
          #expect(answer.json.text == expected.json.text, "\(request)")
          if case .failure = answer.result { t.label("refused") }
        }
      }
      #expect(await !past.isWhole, "a replay of everything was needed")
      for request in left {
        let expected = await cut.perform([request], photos: Self.photos)[0]
        #expect(await past.perform(request).json.text == expected.json.text, "\(request)")
      }
    }
  }

  @Test("A reply found in the log's text equals the core's, by any rules, and is rarely missing")
  func early() async throws {
    let alwaysFound = [
      "GetProfile", "GetBaseLocation", "GetSports", "IsFollowing", "GetFollowCounts",
      "GetRelationship", "CheckHandleAvailability",
    ]
    try await check(
      runs: Sweep.size(8, 36, 2_000), covering: ["found": 0.9, "left": 0.5, "deleted": 0.05]
    ) { t in
      let (history, revision) = Self.past(t)
      let rules = t.draw(.element(of: Rules.presets), "rules")
      let log = try await history.prefix(revision).log()
      let view = log.view()
      let core = try await Core(log, rules: rules)
      let words = Words(history)
      for entry in Self.queries {
        for user in words.users {
          var request = words.request(entry, about: user, t)
          request.time = try view.time(of: UInt64(revision))
          let early = await Past.earlyReply(to: request, of: view, rules: rules, least: 0)
          t.label(early == nil ? "left" : "found")
          if early == nil, alwaysFound.contains(request.name) { Issue.record("\(request)") }
          guard let early else { continue }
          let expected = await core.perform([request], photos: Self.photos)[0]
          #expect(early.json.text == expected.json.text, "\(rules.name): \(request)")
        }
      }
    }
  }

  @Test("Without a question's ids, a search in the text still finds the answer or none")
  func unnamed() async throws {
    // For each follower, reads other users, none of whom is named before the first search.
    try await checkSearch(found: 0.3, none: []) { user, reading, names in
      reading.followers(of: user).map { other in
        "\(names[other]) \(reading.followers(of: other).count) \(reading.isOpen(other))"
      }
    }
  }

  @Test("A search in the text finds the events to which a user's events lead, or no answer")
  func further() async throws {
    // A chup names a workout, but not the owner, who is notified of it.
    try await checkSearch(found: 0.2, none: 0) { user, reading, _ in
      reading.notifications(of: user, limit: 99).count
    }
  }

  /// Checks that a search in the text, which is not given the ids of a question about a user, finds
  /// the answer of a replay or none.
  /// - Parameters:
  ///   - share: the least share of runs in which a search finds an answer other than `none`.
  ///   - none: the answer about a user whom the events do not name.
  private func checkSearch<Answer: Equatable & Sendable>(
    found share: Double, none: Answer,
    _ question: @escaping @Sendable (UserID, Reading, Names) -> Answer
  ) async throws {
    try await check(runs: Sweep.size(15, 45, 2_000), covering: ["found": share]) { t in
      let history = t.draw(.history(max: 60), "history")
      let view = try await history.log().view()
      var replay = Replay<Views>()
      try replay.apply(view)
      let (views, names) = (replay.projection, replay.names)
      for user in Words(history).users {
        let ask: @Sendable (Reading, Names) -> Answer = { reading, names in
          reading.find(user: user, in: names).map { question($0, reading, names) } ?? none
        }
        let found = await view.answerFromText(until: UInt64(history.count), naming: [], ask)
        if let found {
          if found != none { t.label("found") }
          #expect(found == ask(Reading(views), names), "\(user)")
        }
      }
    }
  }

  @Test("A query that needs too many events is answered by a replay")
  func limits() async throws {
    try await check(runs: Sweep.size(10, 30, 1_000)) { t in
      let history = t.draw(.history(max: 80), "history")
      let view = try await history.log().view()
      var worth = RelevanceWorth()
      (worth.least, worth.ratio) = (0, UInt64(t.draw(.int(1...30), "ratio")))
      let until = UInt64(history.count)
      let past = try await Past(of: view, until: until, worth: worth)
      let core = try await Core(history.log())
      for user in Words(history).users {
        let request = Request("GetFollowers", as: user)
        let expected = await core.perform([request], photos: Self.photos)[0]
        #expect(await past.perform(request) == expected)
      }
    }
  }

  @Test("A notification at a revision shows the comment's text of that time")
  func edited() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    try await test.befriend("alice", "bob")
    await test.share("w1", by: "alice")
    _ = await test.do("PostComment", as: "bob", #"{"workout":"w1","comment":"c1","text":"one"}"#)
    let first = test.core.position
    _ = await test.do("EditComment", as: "bob", #"{"comment":"c1","text":"two"}"#)
    for (until, text) in [(first, "one"), (first + 1, "two")] {
      let past = try await Past(of: test.log.view(), until: until, worth: .always)
      let told = try await past.answer(GetNotifications.self, .init(), as: "alice")
      #expect(told.compactMap(\.text) == [text])
      #expect(await !past.isWhole)
    }
  }

  @Test("A past revision refuses commands, and an unknown use case is reported")
  func refusals() async throws {
    let log = InMemoryLog()
    let past = try await Past(of: log.view(), until: 0)
    let write = Request("DeleteAccount", as: "alice")
    guard case .failure(.log(.closed)) = await past.perform(write).result else {
      Issue.record("it was written to")
      return
    }
    guard case .failure(.invalidInput) = await past.perform(Request("GetNothing")).result else {
      Issue.record("there is no such use case")
      return
    }
  }
}
