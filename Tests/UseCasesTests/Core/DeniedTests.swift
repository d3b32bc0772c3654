import Aggregates
import Events
import FaultTesting
import Projections
import PropertyTesting
import Testing
import UseCasesTesting

@testable import UseCases

/// No answer contains a text or number that visibility denies the viewer.
///
/// A history is compared with a copy in which everything that the viewer may not know is different.
/// All answers to that viewer must be the same.
@Suite struct DeniedTests {
  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  @Test("Texts and numbers that visibility denies change no answer, now or at past revisions")
  func denied() async throws {
    let covering = [
      "person": 0.2, "item": 0.4, "comment": 0.1, "number": 0.2, "place": 0.05,
    ]
    try await check(runs: Sweep.size(10, 75, 2_000), covering: covering) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 70, users: 5, rules: rules), "history")
      let users = (0..<UInt32(history.names.userCount)).map { history.names[UserID(index: $0)] }
      let viewer = t.draw(.element(of: users + [nil]), "viewer")
      var denial = try await Denial(history, to: viewer, rules)
      let twin = denial.twin(of: history)
      for label in denial.labels { t.label(label) }
      let (log, other) = (try await history.log(), try await twin.log())
      let (core, changed) = (
        try await Core(log, rules: rules), try await Core(other, rules: rules)
      )
      let until = UInt64(history.count)
      let past = try await Past(of: other.view(), until: until, rules: rules, worth: .always)
      for var request in requests(history, users, viewer) {
        // The time of the last event, as at a past revision.
        request.time = history.entries.last?.time
        let said = await core.perform([request], photos: Self.photos)[0].json.text
        let twins = await changed.perform([request], photos: Self.photos)[0].json.text
        #expect(said == twins, "\(request), \(rules.name)")
        #expect(await past.perform(request).json.text == said, "\(request), \(rules.name)")
      }
    }
  }

  @Test("All queries are tested, except the two about free handles and sports")
  func complete() {
    let asked = Set(requests(GeneratedHistory(), ["u1"], nil).map(\.name))
      .union([
        "GetWorkout", "GetWorkoutDetail", "GetChups", "GetReactions", "GetComments", "GetGroup",
        "GetGroupMembers", "GetGroupFeed",
      ])
    let queries = Registry.all.filter { !$0.writes && !$0.about.name.hasPrefix("Refresh") }
    #expect(
      Set(queries.map(\.about.name)).subtracting(asked)
        == ["CheckHandleAvailability", "ListSports"])
  }

  /// Every query, about every user and item.
  func requests(
    _ history: GeneratedHistory, _ users: [String], _ viewer: String?
  ) -> [Request] {
    let names = history.names
    let workouts = (0..<UInt32(names.workoutCount)).map { names[WorkoutID(index: $0)] }
    var handles: [String] = []
    for entry in history.entries {
      switch entry.event {
      case .profile(.created(let data)): handles += data.handle.map { [$0] } ?? []
      case .profile(.edited(let data)):
        if case .set(let handle) = data.handle { handles.append(handle) }
      default: break
      }
    }
    var inputs: [(String, String, [String])] = [
      ("GetProfile", "handle", handles), ("SearchProfiles", "query", ["us", "ta", "a"] + handles),
      ("GetFeed", "owner", users), ("IsFollowing", "followee", users),
      ("GetRelationship", "other", users), ("GetMessages", "with", users),
    ]
    for name in ["GetGroup", "GetGroupMembers", "GetGroupFeed"] {
      inputs.append((name, "group", names.all(GroupID.self).map { names[$0] }))
    }
    for name in ["GetWorkout", "GetWorkoutDetail", "GetChups", "GetReactions", "GetComments"] {
      inputs.append((name, "workout", workouts))
    }
    for name in [
      "GetProfile", "GetBaseLocation", "GetSports", "GetFollowers", "GetFollowing",
      "GetFollowCounts", "GetFriends", "GetWeeklyMeters", "GetGroups",
    ] {
      inputs.append((name, "user", users))
    }
    var requests = inputs.flatMap { name, field, values in
      values.map { Request(name, as: viewer, with: .object([.init(field, .string($0))])) }
    }
    for name in [
      "GetFeed", "GetFriendActivity", "GetNotifications", "GetBlocked", "GetPendingRequests",
      "GetSentRequests", "GetConversations", "GetUnreadCount", "GetReports",
    ] {
      requests.append(Request(name, as: viewer))
    }
    return requests + metres(history, users, viewer)
  }
}

extension DeniedTests {
  /// The queries that count metres, about each week and month with an item.
  private func metres(
    _ history: GeneratedHistory, _ users: [String], _ viewer: String?
  ) -> [Request] {
    var weeks: Set<String> = ["2026-01-05", "2026-02-02"]
    for entry in history.entries {
      switch entry.event {
      case .workout(.shared(let data)): weeks.insert("\(data.date.instant.date)")
      case .workout(.edited(let data)):
        if let date = data.date { weeks.insert("\(date.instant.date)") }
      default: break
      }
    }
    let groups = history.names.all(GroupID.self).map { history.names[$0] }
    return weeks.sorted().flatMap { date in
      let containing = JSONValue.Member("containing", .string(date))
      let boards: [[JSONValue.Member]] =
        [[], [.init("friendsOnly", .bool(true))]]
        + groups.map { [.init("group", .string($0))] }
      let weekly = users.map { user in
        Request(
          "GetWeeklyMeters", as: viewer, with: .object([.init("user", .string(user)), containing]))
      }
      return weekly
        + ["week", "month"].flatMap { period in
          boards.map { rest in
            Request(
              "GetLeaderboard", as: viewer,
              with: .object([.init("period", .string(period)), containing] + rest))
          }
        }
    }
  }
}
