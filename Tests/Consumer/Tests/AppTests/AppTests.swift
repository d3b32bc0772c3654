import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// A screen of the app: a button that follows and shows the result or the error.
struct FollowButton {
  let toggle: any UseCase<ToggleFollow.Input, Bool>

  func tap(_ user: String, as caller: Caller) async -> String {
    do {
      return try await toggle.execute(.init(followee: user), as: caller) ? "Following" : "Follow"
    } catch UseCaseError.refused(.cannotFollowSelf) {
      return "That is you."
    } catch {
      return "Try again."
    }
  }
}

@Test func theButtonSaysWhatBecameOfATap() async {
  let toggle = Recording<ToggleFollow>()
  let button = FollowButton(toggle: toggle)
  #expect(await button.tap("ben", as: "ann") == "Try again.")  // no answer is set
  toggle.answers(true)
  #expect(await button.tap("ben", as: "ann") == "Following")
  toggle.fails(.refused(.cannotFollowSelf))
  #expect(await button.tap("ann", as: "ann") == "That is you.")
  #expect(toggle.calls.map(\.input.followee) == ["ben", "ben", "ann"])
}

@Test func loggingASendIsOneEvent() async throws {
  let created = """
    {"type":"ProfileCreated","actor":"ann",\
    "data":{"user":"ann","handle":"anna","isPublic":true}}
    """
  let scenario = try await Scenario(given: created)
  let events = try await scenario.when(#"{"do":"LogSend","as":"ann","with":{"climb":"c"}}"#)
  #expect(events == [#"{"type":"SendLogged","actor":"ann","data":{"user":"ann","climb":"c"}}"#])
}

@Test func countsEqualLists() async throws {
  try await check { t in
    let core = try await Core(t.draw(.history(max: 30)).log())
    let user = t.draw(.element(of: ["u1", "u2"]))
    // A service sees everybody, hidden or not.
    let service = Caller.service("test")
    let counts = try await GetFollowCounts(core).execute(.init(user: user), as: service)
    let rows = try await GetFollowers(core).execute(.init(user: user, limit: 50), as: service)
    #expect(counts.followers == rows.count)
  }
}
