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
      runs: Sweep.size(25, 80, 2_000), covering: ["refused": 0.5, "told": 0.3]
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
        t.label("told", if: !said.facts.isEmpty)
        let twins = try await changed.explain(request)
        #expect(said.json.text == twins.json.text, "\(request), \(rules.name)")
      }
    }
  }

  @Test("A blocked user gets the same explanation as for a hidden and for a missing user")
  func blocked() async throws {
    var told: [[String]] = []
    for world in ["blocked", "hidden", "missing"] {
      let core = try await Core(InMemoryLog(), rules: .climb)
      let create = CreateProfile(core)
      _ = try await create.execute(.init(user: "ann", handle: "ann_x"), as: "ann")
      if world != "missing" {
        _ = try await create.execute(
          .init(user: "bob", handle: "bob_x", isPublic: world != "hidden"), as: "bob")
      }
      if world == "blocked" { _ = try await BlockUser(core).execute(.init(user: "ann"), as: "bob") }
      var answers: [String] = []
      for (name, field) in [
        ("FollowUser", "followee"), ("SendFriendRequest", "receiver"), ("SendMessage", "to"),
        ("AcceptFriendRequest", "sender"), ("RemoveFriend", "friend"),
      ] {
        var fields = [JSONValue.Member(field, .string("bob"))]
        if name == "SendMessage" { fields.append(.init("text", .string("hi"))) }
        let why = try await core.explain(Request(name, as: "ann", with: .object(fields)))
        #expect(!why.isAccepted)
        answers.append(why.json.text)
      }
      told.append(answers)
    }
    for (blocked, (hidden, missing)) in zip(told[0], zip(told[1], told[2])) {
      #expect(blocked == missing && hidden == missing, "\(blocked), \(missing)")
    }
  }
}
