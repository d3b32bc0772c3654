import Aggregates
import Events
import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// A user whom visibility hides is, for the caller, a user who does not exist.
@Suite struct HiddenTests {
  /// Inputs that name a person, by use case; `?` stands for the id.
  private static let naming: [(name: String, input: String)] = [
    ("GetProfile", #"{"user":"?"}"#), ("GetBaseLocation", #"{"user":"?"}"#),
    ("GetSports", #"{"user":"?"}"#), ("GetFollowers", #"{"user":"?"}"#),
    ("GetFollowing", #"{"user":"?"}"#), ("GetFollowCounts", #"{"user":"?"}"#),
    ("GetFriends", #"{"user":"?"}"#), ("IsFollowing", #"{"followee":"?"}"#),
    ("IsFollowing", #"{"follower":"?","followee":"u1"}"#), ("GetFeed", #"{"owner":"?"}"#),
    ("GetRelationship", #"{"other":"?"}"#), ("FollowUser", #"{"followee":"?"}"#),
    ("ToggleFollow", #"{"followee":"?"}"#), ("SendFriendRequest", #"{"receiver":"?"}"#),
  ]
  /// Inputs of use cases that list people or their actions.
  private static let listing: [(name: String, input: String)] = [
    ("GetFriends", "{}"), ("GetFollowers", "{}"), ("GetFollowing", "{}"),
    ("GetSentRequests", "{}"), ("GetFeed", "{}"), ("GetFriendActivity", "{}"),
    ("SearchProfiles", #"{"query":"user"}"#), ("SearchProfiles", #"{"query":"taken"}"#),
    ("GetLeaderboard", #"{"period":"month","containing":"2025-11-01"}"#),
    ("GetLeaderboard", #"{"period":"week","containing":"2025-11-01"}"#),
  ]

  @Test("A core answers about a hidden user as about one who never existed, and no list has them")
  func hidden() async throws {
    try await check(runs: 40, covering: ["hidden": 0.5, "blocked": 0.1, "follows": 0.03]) { t in
      // Only climb, the first of these rules, hides private profiles.
      let rules = t.draw(.element(of: [Rules.climb, .climb, .erg, .ride]))
      let history = t.draw(.history(max: 90, users: 6, rules: rules))
      let scenario = try await Scenario(rules: rules, given: history.lines)
      let users = (1...6).map { "u\($0)" }
      for viewer in users + [nil] {
        for other in users where other != viewer {
          let profile = await ask(scenario.core, "GetProfile", viewer, #"{"user":"\#(other)"}"#)
          let asService = await ask(
            scenario.core, "GetProfile", "audit", #"{"user":"\#(other)"}"#, isService: true)
          guard profile == "profileNotFound", asService != "profileNotFound" else { continue }
          t.label("hidden")
          if viewer != nil, isBlocked(history, viewer ?? "", other) { t.label("blocked") }
          let asks = await ask(scenario.core, "GetPendingRequests", viewer).contains(
            "\"user\":\"\(other)\"")
          // A user may see and undo their own follow.
          let followed = #"{"followee":"\#(other)"}"#
          let follows = await ask(scenario.core, "IsFollowing", viewer, followed) == "true"
          t.label("follows", if: follows)
          if follows {
            let own = await ask(scenario.core, "GetFollowing", viewer)
            #expect(
              own.contains(#"{"user":"\#(other)","handle":null,"displayName":null,"#), "\(own)")
          }
          for (name, input) in Self.naming where !(asks && name == "GetRelationship") {
            if follows, input.hasPrefix(#"{"followee""#), name != "FollowUser" { continue }
            let said = await ask(scenario.core, name, viewer, input.replacing("?", with: other))
            let never = await ask(scenario.core, name, viewer, input.replacing("?", with: "never"))
            #expect(said == never, "\(name) of \(other) as \(viewer ?? "nobody"), \(rules.name)")
          }
          for (name, input) in Self.listing where !(follows && name == "GetFollowing") {
            let said = await ask(scenario.core, name, viewer, input)
            #expect(
              !said.contains("\"user\":\"\(other)\"") && !said.contains("\"owner\":\"\(other)\""),
              "\(other) in \(name) as \(viewer ?? "nobody"), \(rules.name): \(said)")
          }
        }
      }
    }
  }

  private func isBlocked(_ history: GeneratedHistory, _ a: String, _ b: String) -> Bool {
    history.entries.contains {
      guard case .block(let event) = $0.event else { return false }
      let ids = Event.block(event).users.map { history.names[$0] }
      return Set(ids) == [a, b]
    }
  }

  private func ask(
    _ core: Core, _ name: String, _ viewer: String?, _ input: String = "{}",
    isService: Bool = false
  ) async -> String {
    guard let with = try? JSONValue(input) else { return "no JSON" }
    var request = Request(name, as: viewer, with: with)
    request.isService = isService
    let ports = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())
    switch await core.perform([request], photos: ports)[0].result {
    case .success(let value): return value.text
    case .failure(let error): return error.code
    }
  }
}
