import Events
import Testing
import UseCases

@Suite struct ReactionUseCaseTests {
  private func circle() async throws -> TestCore {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem", "dan")
    try await test.befriend("ann", "ben")
    try await test.befriend("ann", "dan")
    await test.share("w1", by: "ann")
    return test
  }

  private func react(
    _ test: TestCore, _ user: String, _ kind: String, _ name: String = "GiveReaction"
  ) async -> String {
    await test.do(name, as: user, #"{"workout":"w1","kind":"\#(kind)"}"#)
  }

  @Test("Each kind of reaction is given once and taken back, and shown with counts and givers")
  func reactions() async throws {
    let test = try await circle()
    #expect(await react(test, "ben", "fire") == "null")
    let before = await test.count
    #expect(await react(test, "ben", "FIRE") == "null")
    #expect(await test.count == before)
    #expect(await react(test, "ben", "clap") == "null")
    #expect(await react(test, "ann", "fire") == "null")
    let shown = try await GetReactions(test.core).execute(.init(workout: "w1"), as: "ben")
    #expect(shown.counts.counts == [.fire: 2, .clap: 1])
    #expect(shown.mine.map(\.known) == [.fire, .clap])
    #expect(shown.users.map(\.user.user) == ["ann", "ben"])
    #expect(shown.users.map { $0.kinds.map(\.word) } == [["fire"], ["fire", "clap"]])
    #expect(shown.users.allSatisfy { $0.user.createdAt != nil })
    #expect(
      await test.do("GetFeed", as: "ann").contains(#""reactions":{"fire":2,"clap":1}"#))
    #expect(await react(test, "ben", "fire", "WithdrawReaction") == "null")
    #expect(await react(test, "ben", "wow", "WithdrawReaction") == "null")
    #expect(
      await test.do("GetReactions", as: "ben", #"{"workout":"w1"}"#)
        .hasPrefix(#"{"counts":{"fire":1,"clap":1},"mine":["clap"],"users":[{"user":"ann""#))
  }

  @Test("A reaction needs a known kind and item, visibility, a profile and no block")
  func refusals() async throws {
    let test = try await circle()
    #expect(await react(test, "ben", "grin") == "unknownReaction")
    #expect(await react(test, "cem", "fire") == "notVisible")
    #expect(await react(test, "zoe", "fire") == "profileNotFound")
    #expect(
      await test.do("GiveReaction", as: "ben", #"{"workout":"w9","kind":"fire"}"#)
        == "workoutNotFound")
    #expect(await test.do("GiveReaction", #"{"workout":"w1","kind":"fire"}"#) == "unauthorized")
    #expect(await test.do("GetReactions", as: "cem", #"{"workout":"w1"}"#) == "notVisible")
    #expect(await react(test, "ben", "fire") == "null")
    #expect(await test.do("BlockUser", as: "ann", #"{"user":"ben"}"#) == "null")
    #expect(await react(test, "ben", "wow") == "workoutNotFound")
    // Counts include all reactions; rows depend on visibility.
    #expect(
      await test.do("GetReactions", as: "ann", #"{"workout":"w1"}"#)
        == #"{"counts":{"fire":1},"mine":[],"users":[]}"#)
    #expect(
      await test.do("GetReactions", as: "dan", #"{"workout":"w1"}"#).contains(#""user":"ben""#))
    #expect(await react(test, "ben", "fire", "WithdrawReaction") == "null")
    #expect(
      await test.do("GetReactions", as: "dan", #"{"workout":"w1"}"#).hasPrefix(#"{"counts":{},"#))
  }

  @Test("Removing the item or an account removes its reactions")
  func removal() async throws {
    let test = try await circle()
    for user in ["ann", "ben", "dan"] { _ = await react(test, user, "strong") }
    #expect(await test.do("DeleteAccount", as: "ben") == "null")
    #expect(
      await test.do("GetReactions", as: "dan", #"{"workout":"w1"}"#)
        .hasPrefix(#"{"counts":{"strong":2}"#))
    #expect(await test.do("RemoveWorkout", as: "ann", #"{"workout":"w1"}"#) == "null")
    #expect(await test.do("GetReactions", as: "dan", #"{"workout":"w1"}"#) == "workoutNotFound")
  }

  @Test("An owner is notified of each reaction until it is taken back, but not of their own")
  func told() async throws {
    let test = try await circle()
    func told() async -> [String] {
      await test.list("GetNotifications", as: "ann", member: "reaction")
    }
    _ = await react(test, "ben", "fire")
    _ = await react(test, "ann", "fire")
    _ = await react(test, "dan", "wow")
    _ = await react(test, "ben", "clap")
    #expect(await Array(told().prefix(3)) == ["clap", "wow", "fire"])
    _ = await react(test, "ben", "fire", "WithdrawReaction")
    #expect(await Array(told().prefix(2)) == ["clap", "wow"])
    _ = await test.do("DeleteAccount", as: "dan")
    #expect(await told().first == "clap")
    #expect(await !told().contains("wow"))
  }
}
