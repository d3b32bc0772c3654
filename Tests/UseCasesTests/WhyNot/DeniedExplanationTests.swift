import Aggregates
import Events
import FaultTesting
import PropertyTesting
import Testing

@testable import UseCases

extension DeniedTests {
  @Test("An explanation tells a user nothing that visibility denies them")
  func explanations() async throws {
    try await check(
      runs: Sweep.size(12, 36, 2_000), covering: ["refused": 0.5]
    ) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 70, users: 5, rules: rules), "history")
      let viewer = t.draw(
        .element(of: (0..<UInt32(max(history.names.userCount, 1))).map { "u\($0 + 1)" }), "viewer")
      var denial = try await Denial(history, to: viewer, rules)
      let twin = denial.twin(of: history)
      let end = history.entries.last?.time ?? .epoch
      let environment = RuntimeEnvironment(now: { end }, random: { (1, 2) })
      let core = try await Core(
        try await history.log(environment), rules: rules, environment: environment)
      let changed = try await Core(
        try await twin.log(environment), rules: rules, environment: environment)
      for _ in 0..<10 {
        var request = t.draw(.request(users: 5, isCommand: true))
        (request.user, request.isService, request.time) = (viewer, false, nil)
        guard let said = try? await core.explain(request) else { continue }
        t.label("refused", if: !said.isAccepted)
        let twins = try await changed.explain(request)
        #expect(said.json.text == twins.json.text, "\(request), \(rules.name)")
      }
    }
  }

  @Test("A blocked user gets the same explanations as for a hidden and for a missing user")
  func blocked() async throws {
    // With `related`, both followed each other and were friends before.
    for isRelated in [false, true] {
      var told: [[String]] = []
      for world in isRelated ? ["blocked", "deleted"] : ["blocked", "hidden", "missing"] {
        let core = try await Core(InMemoryLog(), rules: .climb)
        let create = CreateProfile(core)
        _ = try await create.execute(.init(user: "ann", handle: "ann_x"), as: "ann")
        if world != "missing" {
          _ = try await create.execute(
            .init(user: "bob", handle: "bob_x", isPublic: world != "hidden"), as: "bob")
        }
        if isRelated {
          _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
          _ = try await FollowUser(core).execute(.init(followee: "ann"), as: "bob")
          _ = try await SendFriendRequest(core).execute(.init(receiver: "bob"), as: "ann")
          _ = try await AcceptFriendRequest(core).execute(.init(sender: "ann"), as: "bob")
        }
        switch world {
        case "blocked": _ = try await BlockUser(core).execute(.init(user: "ann"), as: "bob")
        case "deleted": _ = try await DeleteAccount(core).execute(.init(), as: "bob")
        default: break
        }
        var answers: [String] = []
        for (name, field) in [
          ("FollowUser", "followee"), ("UnfollowUser", "followee"), ("ToggleFollow", "followee"),
          ("SendFriendRequest", "receiver"), ("CancelFriendRequest", "receiver"),
          ("AcceptFriendRequest", "sender"), ("RemoveFriend", "friend"), ("SendMessage", "to"),
        ] {
          var fields = [JSONValue.Member(field, .string("bob"))]
          if name == "SendMessage" { fields.append(.init("text", .string("hi"))) }
          let request = Request(name, as: "ann", with: .object(fields))
          answers.append(name + " " + (try await core.explain(request)).json.text)
        }
        told.append(answers)
      }
      for other in told.dropFirst() {
        for (blocked, other) in zip(told[0], other) { #expect(blocked == other) }
      }
    }
  }
}
