import Aggregates
import Events
import Testing
import UseCases
import UseCasesTesting

@Suite struct BlockUseCaseTests {
  /// The types of the events after a position, with their actors and whether they name the first of
  /// them as their cause.
  private func recorded(_ test: TestCore, after position: UInt64) async -> [String] {
    let events = await test.log.read(after: position, limit: .max)
    return events.map {
      "\($0.type) \($0.actor) \($0.cause == nil ? "" : $0.cause == events[0].id ? "caused" : "?")"
    }
  }

  @Test("A block ends follows and friendship, in one commit and as their cause")
  func ends() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    try await test.befriend("ann", "bob")
    #expect(await test.do("FollowUser", as: "ann", #"{"followee":"bob"}"#) == "true")
    #expect(await test.do("FollowUser", as: "bob", #"{"followee":"ann"}"#) == "true")
    let before = await test.count
    #expect(await test.do("BlockUser", as: "ann", #"{"user":"bob"}"#) == "null")
    #expect(
      await recorded(test, after: before) == [
        "UserBlocked ann ", "UserUnfollowed ann caused", "UserUnfollowed ann caused",
        "FriendRemoved ann caused",
      ])
    let batches = await test.log.read(after: before, limit: .max).map { $0.batch?.count }
    #expect(batches == [4, 4, 4, 4])
    #expect(await test.do("BlockUser", as: "ann", #"{"user":"bob"}"#) == "null")
    #expect(await test.count == before + 4)
    var (audit, names) = (Audit(), Names())
    try test.log.history().forEachEventOfCommits(&names) { event, actor, moment, endsCommit in
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        Issue.record("\($0)")
      }
    }
  }

  @Test("A block cancels the blocker's request, or rejects the other user's")
  func requests() async throws {
    for (sender, receiver, ended) in [
      ("ann", "bob", "FriendRequestCancelled"), ("bob", "ann", "FriendRequestRejected"),
    ] {
      let test = try await TestCore()
      try await test.people("ann", "bob")
      _ = await test.do("SendFriendRequest", as: sender, #"{"receiver":"\#(receiver)"}"#)
      let before = await test.count
      #expect(await test.do("BlockUser", as: "ann", #"{"user":"bob"}"#) == "null")
      #expect(
        await recorded(test, after: before) == ["UserBlocked ann ", "\(ended) ann caused"])
    }
  }

  @Test(
    "A block stops follows, requests and chups in both directions, and only the blocker can end it")
  func apart() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob", "cem")
    await test.share("w-ann", by: "ann")
    await test.share("w-bob", by: "bob")
    for user in ["ann", "bob"] {
      for item in ["w-ann", "w-bob"] {
        _ = await test.do("EditWorkout", as: user, #"{"workout":"\#(item)","audience":"public"}"#)
      }
    }
    #expect(
      await test.do("PostComment", as: "bob", #"{"workout":"w-ann","text":"x","comment":"c"}"#)
        .contains(#""user":"bob""#))
    #expect(await test.do("GiveChup", as: "bob", #"{"workout":"w-ann"}"#) == "null")
    #expect(await test.do("BlockUser", as: "ann", #"{"user":"bob"}"#) == "null")
    for (user, other) in [("ann", "bob"), ("bob", "ann")] {
      for (name, field) in [
        ("FollowUser", "followee"), ("ToggleFollow", "followee"), ("SendFriendRequest", "receiver"),
        ("GetProfile", "user"),
      ] {
        let said = await test.do(name, as: user, "{\"\(field)\":\"\(other)\"}")
        #expect(said == "profileNotFound", "\(name) by \(user)")
      }
      for name in ["GiveChup", "GiveBigChup", "GetWorkout", "GetComments", "RemoveWorkout"] {
        let said = await test.do(name, as: user, #"{"workout":"w-\#(other)"}"#)
        #expect(said == "workoutNotFound", "\(name) by \(user)")
      }
    }
    // A given chup can be taken back. The comment stays visible to others.
    #expect(await test.do("ToggleChup", as: "bob", #"{"workout":"w-ann"}"#) == "false")
    #expect(await test.do("ToggleChup", as: "bob", #"{"workout":"w-ann"}"#) == "workoutNotFound")
    #expect(await test.do("WithdrawChup", as: "bob", #"{"workout":"w-ann"}"#) == "null")
    #expect(await test.list("GetComments", as: "ann", #"{"workout":"w-ann"}"#) == [])
    #expect(await test.list("GetComments", as: "cem", #"{"workout":"w-ann"}"#) == ["bob"])
    #expect(await test.list("GetBlocked", as: "ann", member: "handle") == ["bob"])
    #expect(await test.list("GetBlocked", as: "bob") == [])
    #expect(await test.do("UnblockUser", as: "bob", #"{"user":"ann"}"#) == "null")
    #expect(await test.do("FollowUser", as: "bob", #"{"followee":"ann"}"#) == "profileNotFound")
    #expect(await test.do("UnblockUser", as: "ann", #"{"user":"bob"}"#) == "null")
    #expect(await test.do("FollowUser", as: "bob", #"{"followee":"ann"}"#) == "true")
  }

  @Test("Undoing something that does not exist appends nothing, even with an unknown user")
  func takingBack() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob", "gone")
    _ = await test.do("UpdateProfile", as: "bob", #"{"isPublic":false}"#)
    _ = await test.do("DeleteAccount", as: "gone")
    let count = await test.count
    for other in ["bob", "gone", "never"] {
      for (name, field, says) in [
        ("UnfollowUser", "followee", "false"), ("UnblockUser", "user", "null"),
        ("CancelFriendRequest", "receiver", "noSuchRequest"),
        ("AcceptFriendRequest", "sender", "noSuchRequest"),
        ("RejectFriendRequest", "sender", "noSuchRequest"),
        ("RemoveFriend", "friend", "notFriends"),
        ("WithdrawChup", "workout", "null"), ("UnheartComment", "comment", "null"),
      ] {
        let said = await test.do(name, as: "ann", "{\"\(field)\":\"\(other)\"}")
        #expect(said == says, "\(name) \(other)")
      }
    }
    #expect(await test.count == count)
  }

  @Test("A private profile's friend request shows its sender, and no other answer does")
  func pending() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    _ = await test.do("UpdateProfile", as: "ann", #"{"isPublic":false}"#)
    _ = await test.do("SendFriendRequest", as: "ann", #"{"receiver":"bob"}"#)
    #expect(await test.list("GetPendingRequests", as: "bob") == ["ann"])
    #expect(await test.list("GetNotifications", as: "bob") == ["ann"])
    #expect(
      await test.do("GetRelationship", as: "bob", #"{"other":"ann"}"#) == #""requestReceived""#)
    #expect(await test.do("GetProfile", as: "bob", #"{"user":"ann"}"#) == "profileNotFound")
    #expect(await test.do("AcceptFriendRequest", as: "bob", #"{"sender":"ann"}"#) == "null")
    #expect(await test.do("GetProfile", as: "bob", #"{"user":"ann"}"#).contains(#""handle":"ann""#))
  }

  @Test("A service sees everything and removes any item or comment, but does nothing as a user")
  func services() async throws {
    let test = try await TestCore()
    try await test.people("ann", "bob")
    await test.share("w", by: "ann")
    _ = await test.do("EditWorkout", as: "ann", #"{"workout":"w","audience":"private"}"#)
    _ = await test.do("PostComment", as: "ann", #"{"workout":"w","text":"x","comment":"c"}"#)
    func ask(_ name: String, _ input: String) async throws -> String {
      var request = Request(name, as: "police", with: try JSONValue(input))
      request.isService = true
      switch await test.core.perform([request], photos: test.ports)[0].result {
      case .success(let value): return value.text
      case .failure(let error): return error.code
      }
    }
    #expect(try await ask("GetWorkout", #"{"workout":"w"}"#).contains(#""audience":"private""#))
    #expect(try await ask("FollowUser", #"{"followee":"ann"}"#) == "unauthorized")
    #expect(try await ask("EditWorkout", #"{"workout":"w","text":"x"}"#) == "unauthorized")
    #expect(try await ask("RemoveComment", #"{"comment":"c"}"#) == "null")
    #expect(try await ask("RemoveWorkout", #"{"workout":"w"}"#) == "null")
    let last = try #require(await test.log.read(after: await test.count - 1, limit: 1).first)
    #expect(last.actor == "service:police")
    var (audit, names) = (Audit(), Names())
    try test.log.history().forEachEventOfCommits(&names) { event, actor, moment, endsCommit in
      audit.apply(copy event, actor: actor, at: moment, endsCommit: endsCommit) {
        Issue.record("\($0)")
      }
    }
    #expect(
      await test.do(
        "CreateProfile", as: "service:x", #"{"user":"service:x","handle":"xxx"}"#)
        == "invalidInput")
  }

  @Test("Items follow their audience: followers see a climb post, nobody else sees a private one")
  func audiences() async throws {
    let test = try await TestCore()
    try await test.people("ann", "fan", "sam")
    _ = await test.do("FollowUser", as: "fan", #"{"followee":"ann"}"#)
    func post(_ id: String, _ audience: String) async {
      _ = await test.do(
        "ShareWorkout", as: "ann",
        #"{"workout":"\#(id)","date":"2026-01-02T10:00:00Z","climb":"Silence"\#(audience)}"#)
    }
    await post("w1", "")
    await post("w2", #","audience":"Private""#)
    await post("w3", #","audience":"public""#)
    #expect(await test.list("GetFeed", as: "fan", member: "workout") == ["w3", "w1"])
    #expect(await test.list("GetFeed", as: "ann", member: "workout") == ["w3", "w2", "w1"])
    #expect(await test.list("GetFriendActivity", as: "fan", member: "workout") == ["w3", "w1"])
    for (viewer, item, says) in [
      ("fan", "w1", "followers"), ("fan", "w2", "notVisible"), ("sam", "w1", "notVisible"),
      (nil, "w3", "public"), (nil, "w1", "notVisible"),
    ] {
      let said = await test.do("GetWorkout", as: viewer, #"{"workout":"\#(item)"}"#)
      #expect(said.contains(says), "\(item) as \(viewer ?? "nobody"): \(said)")
    }
    #expect(await test.do("GiveChup", as: "fan", #"{"workout":"w1"}"#) == "null")
    #expect(await test.do("EditWorkout", as: "ann", #"{"workout":"w2","audience":null}"#) == "null")
    #expect(
      await test.do("GetWorkout", as: "fan", #"{"workout":"w2"}"#)
        .contains(#""audience":"followers""#))
    #expect(
      await test.do("ShareWorkout", as: "ann", #"{"date":"2026-01-02T10:00:00Z"}"#)
        == "invalidWorkout")
  }

  @Test("If an import left a request beside a block, it can be rejected but not accepted")
  func besideABlock() async throws {
    let scenario = try await Scenario(
      given: """
        {"type":"ProfileCreated","v":2,"actor":"ann",\
        "data":{"user":"ann","handle":"ann","isPublic":true}}
        {"type":"ProfileCreated","v":2,"actor":"bob",\
        "data":{"user":"bob","handle":"bob","isPublic":true}}
        {"type":"UserBlocked","actor":"ann","data":{"user":"ann","other":"bob"}}
        {"type":"FriendRequested","actor":"bob","data":{"sender":"bob","receiver":"ann"}}
        """)
    await #expect(throws: UseCaseError.refused(.profileNotFound)) {
      try await scenario.when(#"{"do":"AcceptFriendRequest","as":"ann","with":{"sender":"bob"}}"#)
    }
    #expect(
      try await scenario.when(
        #"{"do":"RejectFriendRequest","as":"ann","with":{"sender":"bob"}}"#
      ).count == 1)
  }

  @Test("If an import left a follow beside a block, a toggle ignores it, and unfollowing ends it")
  func followBesideABlock() async throws {
    let scenario = try await Scenario(
      given: """
        {"type":"ProfileCreated","v":2,"actor":"ann",\
        "data":{"user":"ann","handle":"ann","isPublic":true}}
        {"type":"ProfileCreated","v":2,"actor":"bob",\
        "data":{"user":"bob","handle":"bob","isPublic":true}}
        {"type":"UserFollowed","actor":"bob","data":{"follower":"bob","followee":"ann"}}
        {"type":"UserBlocked","actor":"ann","data":{"user":"ann","other":"bob"}}
        """)
    await #expect(throws: UseCaseError.refused(.profileNotFound)) {
      try await scenario.when(#"{"do":"ToggleFollow","as":"bob","with":{"followee":"ann"}}"#)
    }
    #expect(
      try await scenario.when(
        #"{"do":"UnfollowUser","as":"bob","with":{"followee":"ann"}}"#
      ).count == 1)
  }
}
