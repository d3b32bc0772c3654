import Aggregates
import Events
import Testing
import UseCases
import UseCasesTesting

/// Data of a person that only friends see: their friends and their location.
@Suite struct CloseUseCaseTests {
  /// own and friend are friends, fan follows own; own is in Davos.
  private func society(_ rules: Rules) async throws -> TestCore {
    let test = try await TestCore(rules)
    for user in ["own", "friend", "fan", "stranger", "blocked"] {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(user)","displayName":"\#(user)"}"#)
    }
    try await test.befriend("own", "friend")
    _ = await test.do("FollowUser", as: "fan", #"{"followee":"own"}"#)
    _ = await test.do("BlockUser", as: "own", #"{"user":"blocked"}"#)
    _ = await test.do(
      "SetBaseLocation", as: "own", #"{"latitude":46.8,"longitude":9.8,"name":"Davos"}"#)
    return test
  }

  private func ask(
    _ test: TestCore, _ name: String, _ viewer: String, past: Past? = nil
  ) async throws -> JSONValue {
    var request = Request(
      name, as: viewer == "nobody" ? nil : viewer, with: try JSONValue(#"{"user":"own"}"#))
    request.isService = viewer == "support"
    var reply = await test.core.perform([request], photos: test.ports)[0]
    if let past { reply = await past.perform(request) }
    switch reply.result {
    case .success(let value): return value
    case .failure(let error): return .string(error.code)
    }
  }

  @Test(
    "Friends see a user's location; viewers of the whole profile see the place's name",
    arguments: [Rules.climb, .erg, .ride])
  func location(rules: Rules) async throws {
    let test = try await society(rules)
    let (all, name) = (
      #"{"latitude":46.8,"longitude":9.8,"name":"Davos"}"#,
      #"{"latitude":null,"longitude":null,"name":"Davos"}"#
    )
    let expected = [
      ("own", all, all), ("friend", all, all), ("fan", name, "null"), ("stranger", name, "null"),
      ("blocked", "null", "null"), ("nobody", name, "null"), ("support", all, all),
    ]
    for isPublic in [true, false] {
      if !isPublic { _ = await test.do("UpdateProfile", as: "own", #"{"isPublic":false}"#) }
      let past = try await Past(of: test.log.view(), until: test.core.position, rules: rules)
      for (viewer, open, closed) in expected {
        let shown = isPublic ? open : closed
        for past in [nil, past] {
          let location = try await ask(test, "GetBaseLocation", viewer, past: past)
          #expect(location.text == shown, "\(viewer), \(rules.name), \(isPublic)")
          let profile = try await ask(test, "GetProfile", viewer, past: past)
          #expect(
            profile["baseLocation"]?.text ?? "null" == shown,
            "the profile, as \(viewer), \(rules.name), \(isPublic)")
        }
      }
    }
  }

  @Test("Only friends see a place without a name")
  func nameless() async throws {
    let test = try await society(.climb)
    _ = await test.do("SetBaseLocation", as: "own", #"{"latitude":46.8,"longitude":9.8}"#)
    #expect(try await ask(test, "GetBaseLocation", "stranger") == .null)
    #expect(try await ask(test, "GetProfile", "stranger")["baseLocation"] == .null)
    #expect(try await ask(test, "GetBaseLocation", "friend")["latitude"]?.text == "46.8")
  }

  @Test(
    "By the erg rules only friends see a user's friends, and others see the number",
    arguments: [Rules.climb, .erg, .ride])
  func friends(rules: Rules) async throws {
    let test = try await society(rules)
    let isOpen = rules.privateProfiles == .hidden
    let expected = [
      ("own", true), ("friend", true), ("fan", isOpen), ("stranger", isOpen), ("support", true),
    ]
    let past = try await Past(of: test.log.view(), until: test.core.position, rules: rules)
    for (viewer, isListed) in expected {
      for past in [nil, past] {
        let list = try await ask(test, "GetFriends", viewer, past: past)
        #expect(list.text.contains(#""user":"friend""#) == isListed, "\(viewer), \(rules.name)")
        #expect(isListed || list.text == "[]")
        #expect(try await ask(test, "GetProfile", viewer, past: past)["friendCount"]?.text == "1")
      }
    }
    _ = await test.do("UpdateProfile", as: "own", #"{"isPublic":false}"#)
    for (viewer, _) in expected {
      let isListed = ["own", "friend", "support"].contains(viewer)
      let list = try await ask(test, "GetFriends", viewer)
      #expect(list.text.contains(#""user":"friend""#) == isListed, "\(viewer), \(rules.name)")
    }
  }
}
