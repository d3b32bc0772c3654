import Testing
import UseCases
import UseCasesTesting

/// A screen as an app would write it: it uses only the protocol.
private struct FollowButton {
  let toggle: any UseCase<ToggleFollow.Input, Bool>

  func tap(_ user: String, as caller: Caller) async -> String {
    do throws(UseCaseError) {
      return try await toggle.execute(.init(followee: user), as: caller) ? "Following" : "Follow"
    } catch {
      return error.code
    }
  }
}

@Suite struct RecordingUseCaseTests {
  @Test("A double records its calls, and fails until the test sets an answer")
  func recording() async {
    let toggle = Recording<ToggleFollow>()
    let button = FollowButton(toggle: toggle)
    #expect(await button.tap("bob", as: "alice") == "invalidInput")
    let unset = await #expect(throws: UseCaseError.self) {
      try await Recording<ToggleFollow>().execute(.init(followee: "bob"), as: "alice")
    }
    #expect(unset?.description.hasPrefix("this RecordingUseCase has no answer: call") == true)
    toggle.answers(true)
    #expect(await button.tap("bob", as: "alice") == "Following")
    toggle.fails(.refused(.cannotFollowSelf))
    #expect(await button.tap("alice", as: "alice") == "cannotFollowSelf")
    toggle.answers { $0.input.followee == "carol" }
    #expect(await button.tap("dave", as: nil) == "Follow")
    #expect(toggle.calls.map(\.input.followee) == ["bob", "bob", "alice", "dave"])
    #expect(toggle.calls.map(\.caller.user) == ["alice", "alice", "alice", nil])
  }

  @Test("The same screen works with the real use case")
  func real() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob")
    let button = FollowButton(toggle: ToggleFollow(test.core))
    #expect(await button.tap("bob", as: "alice") == "Following")
    #expect(await button.tap("bob", as: "alice") == "Follow")
    #expect(await button.tap("alice", as: "alice") == "cannotFollowSelf")
  }
}
