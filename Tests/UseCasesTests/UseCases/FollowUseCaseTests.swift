import Aggregates
import Events
import Testing
import UseCases

@Suite struct FollowUseCaseTests {
  @Test("Follow, unfollow and toggle return the new state; a renewed follow is listed first")
  func follow() async throws {
    let test = try await TestCore()
    try await test.people("alice", "bob", "carol")
    func follow(_ name: String, _ user: String, _ followee: String) async -> String {
      await test.do(name, as: user, #"{"followee":"\#(followee)"}"#)
    }
    #expect(await follow("FollowUser", "alice", "carol") == "true")
    #expect(await follow("ToggleFollow", "bob", "carol") == "true")
    #expect(await test.list("GetFollowers", as: "bob", #"{"user":"carol"}"#) == ["bob", "alice"])
    #expect(await follow("ToggleFollow", "alice", "carol") == "false")
    #expect(await follow("UnfollowUser", "alice", "carol") == "false")
    #expect(await test.list("GetFollowers", as: "bob", #"{"user":"carol"}"#) == ["bob"])
    #expect(await follow("ToggleFollow", "alice", "carol") == "true")
    #expect(await test.list("RefreshFollowers", as: "carol") == ["alice", "bob"])
    #expect(await test.list("GetFollowing", as: "alice") == ["carol"])
    #expect(await test.do("IsFollowing", as: "alice", #"{"followee":"carol"}"#) == "true")
    #expect(await test.do("IsFollowing", #"{"follower":"carol","followee":"alice"}"#) == "false")
    #expect(await test.do("IsFollowing", #"{"follower":"x","followee":"y"}"#) == "false")
    #expect(await test.do("GetFollowCounts", as: "carol") == #"{"followers":2,"following":0}"#)
    #expect(
      await test.do("GetFollowCounts", #"{"user":"nobody"}"#) == #"{"followers":0,"following":0}"#)
    #expect(await follow("ToggleFollow", "alice", "alice") == "cannotFollowSelf")
    #expect(await follow("ToggleFollow", "alice", "nobody") == "profileNotFound")
    #expect(await follow("ToggleFollow", "alice", "a b") == "profileNotFound")
  }

  @Test("Pages of followers clamp the limit to 1…50 and the offset to 0 or more")
  func pages() async throws {
    let test = try await TestCore()
    try await test.people("star")
    for index in 100..<160 {
      try await test.people("u\(index)")
      _ = await test.do("FollowUser", as: "u\(index)", #"{"followee":"star"}"#)
      _ = await test.do("FollowUser", as: "star", #"{"followee":"u\#(index)"}"#)
    }
    for name in ["GetFollowers", "GetFollowing"] {
      func page(_ rest: String) async -> [String] {
        await test.list(name, as: "star", #"{"user":"star"\#(rest)}"#)
      }
      #expect(await page("").count == 20)
      #expect(await page("").first == "u159")
      #expect(await page(#","limit":1000"#).count == 50)
      #expect(await page(#","limit":0"#) == ["u159"])
      #expect(await page(#","limit":-5,"offset":-5"#) == ["u159"])
      #expect(await page(#","limit":2,"offset":1"#) == ["u158", "u157"])
      #expect(await page(#","limit":50,"offset":50"#).last == "u100")
      #expect(await page(#","offset":60"#) == [])
      #expect(await page(#","offset":9223372036854775807"#) == [])
    }
    #expect(await test.do("GetFollowers", as: "star", #"{"user":"nobody"}"#) == "[]")
    #expect(
      await test.do("GetFollowers", as: "star", #"{"user":"star","limit":1.5}"#) == "invalidInput")
    #expect(
      await test.do("GetFollowers", as: "star", #"{"user":"star","size":1}"#) == "invalidInput")
  }

  @Test("Friends see every relationship from both sides, and lists come newest first")
  func friends() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem")
    func say(_ name: String, _ user: String, _ input: String) async -> String {
      await test.do(name, as: user, input)
    }
    func relationship(_ user: String, _ other: String) async -> String {
      await test.do("GetRelationship", as: user, #"{"other":"\#(other)"}"#)
    }
    #expect(await relationship("ann", "ann") == #""self""#)
    #expect(await relationship("ann", "ben") == #""none""#)
    #expect(await relationship("ann", "nobody") == #""none""#)
    #expect(await say("SendFriendRequest", "ann", #"{"receiver":"ann"}"#) == "cannotFriendSelf")
    #expect(await say("SendFriendRequest", "ann", #"{"receiver":"ben"}"#) == "null")
    #expect(await relationship("ann", "ben") == #""requestSent""#)
    #expect(await relationship("ben", "ann") == #""requestReceived""#)
    #expect(await say("SendFriendRequest", "ann", #"{"receiver":"ben"}"#) == "alreadyRequested")
    #expect(await say("SendFriendRequest", "ben", #"{"receiver":"ann"}"#) == "alreadyReceived")
    #expect(await say("AcceptFriendRequest", "ann", #"{"sender":"ben"}"#) == "noSuchRequest")
    #expect(await say("RejectFriendRequest", "ann", #"{"sender":"ben"}"#) == "noSuchRequest")
    #expect(await say("CancelFriendRequest", "ben", #"{"receiver":"ann"}"#) == "noSuchRequest")
    #expect(await test.list("GetSentRequests", as: "ann") == ["ben"])
    #expect(await test.list("GetPendingRequests", as: "ben") == ["ann"])
    #expect(await say("RejectFriendRequest", "ben", #"{"sender":"ann"}"#) == "null")
    #expect(await relationship("ann", "ben") == #""none""#)
    #expect(await say("SendFriendRequest", "ben", #"{"receiver":"ann"}"#) == "null")
    #expect(await say("CancelFriendRequest", "ben", #"{"receiver":"ann"}"#) == "null")
    #expect(await say("SendFriendRequest", "ann", #"{"receiver":"ben"}"#) == "null")
    #expect(await say("AcceptFriendRequest", "ben", #"{"sender":"ann"}"#) == "null")
    #expect(await relationship("ann", "ben") == #""friends""#)
    #expect(await relationship("ben", "ann") == #""friends""#)
    #expect(await say("SendFriendRequest", "ben", #"{"receiver":"ann"}"#) == "alreadyFriends")
    try await test.befriend("cem", "ann")
    #expect(await test.list("GetFriends", as: "ann") == ["cem", "ben"])
    #expect(await test.list("GetFriends", as: "ann", #"{"user":"ben"}"#) == ["ann"])
    #expect(await say("RemoveFriend", "ben", #"{"friend":"cem"}"#) == "notFriends")
    #expect(await say("RemoveFriend", "ben", #"{"friend":"ann"}"#) == "null")
    #expect(await say("RemoveFriend", "ann", #"{"friend":"ben"}"#) == "notFriends")
    #expect(await test.list("GetFriends", as: "ann") == ["cem"])
    #expect(await say("SendFriendRequest", "ann", #"{"receiver":"nobody"}"#) == "profileNotFound")
  }

  @Test("At most a hundred friends are listed")
  func manyFriends() async throws {
    let test = try await TestCore()
    try await test.people("star")
    for index in 100..<205 {
      try await test.people("u\(index)")
      try await test.befriend("u\(index)", "star")
    }
    let friends = await test.list("GetFriends", as: "star")
    #expect(friends.count == 100 && friends.first == "u204")
    #expect(
      try await GetProfile(test.core).execute(.init(user: "star"), as: nil).friendCount == 105)
  }
}

@Suite struct OwnEdgesTests {
  private func society(_ rules: Rules) async throws -> TestCore {
    let test = try await TestCore(rules)
    for user in ["ann", "ben", "cem"] {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(user)","displayName":"\#(user)","#
          + #""photoURL":"https://a.b/c"}"#
      )
    }
    for followee in ["ben", "cem"] {
      _ = await test.do("FollowUser", as: "ann", #"{"followee":"\#(followee)"}"#)
    }
    return test
  }

  @Test(
    "A user can still see and end a follow of somebody who has gone private",
    arguments: [Rules.climb, .ride])
  func hidden(rules: Rules) async throws {
    let test = try await society(rules)
    let ben = #"{"followee":"ben"}"#
    _ = await test.do("UpdateProfile", as: "ben", #"{"isPublic":false}"#)
    let past = try await Past(of: test.log.view(), until: test.core.position, rules: rules)
    #expect(await test.do("IsFollowing", as: "ann", ben) == "true")
    #expect(await test.do("GetFollowCounts", as: "ann") == #"{"followers":0,"following":2}"#)
    #expect(await test.list("GetFollowing", as: "ann") == ["cem", "ben"])
    let row =
      #"{"user":"ben","handle":null,"displayName":null,"photoURL":null,"bio":null,"#
      + #""isPublic":false,"followerCount":null,"followingCount":null,"sendCount":null,"#
      + #""relationship":"none","isFollowedByMe":true,"friendCount":null,"#
      + #""createdAt":"2026-01-19T09:00:00.000Z","isHidden":true}"#
    for input in [#"{"offset":1}"#, #"{"user":"ann","limit":1,"offset":1}"#] {
      #expect(await test.do("GetFollowing", as: "ann", input) == "[\(row)]")
      let request = Request("GetFollowing", as: "ann", with: try JSONValue(input))
      #expect(await past.perform(request).json["result"]?.text == "[\(row)]")
    }
    // Only ann sees ben's row. A row of a visible user does not say that it is hidden.
    #expect(await test.list("GetFollowing", as: "cem", #"{"user":"ann"}"#) == ["cem"])
    #expect(!(await test.do("GetFollowing", as: "ann", #"{"limit":1}"#)).contains("isHidden"))
    #expect(
      await test.do("IsFollowing", as: "cem", #"{"follower":"ann","followee":"ben"}"#) == "false")
    #expect(
      await past.perform(Request("IsFollowing", as: "ann", with: try JSONValue(ben))).json["result"]
        == .bool(true))
    // After the unfollow, ann sees nothing of ben any more.
    #expect(await test.do("ToggleFollow", as: "ann", ben) == "false")
    #expect(await test.do("GetFollowCounts", as: "ann") == #"{"followers":0,"following":1}"#)
    #expect(await test.do("IsFollowing", as: "ann", ben) == "false")
    #expect(await test.do("ToggleFollow", as: "ann", ben) == "profileNotFound")
    #expect(await test.list("GetFollowing", as: "ann") == ["cem"])
    #expect(try Check(test.log.view(), by: RuleHistory(rules)).findings == [])
  }

  @Test("If private profiles are limited, a row shows what others see of the profile")
  func limited() async throws {
    let test = try await society(.erg)
    _ = await test.do("UpdateProfile", as: "ben", #"{"isPublic":false}"#)
    #expect(await test.do("IsFollowing", as: "ann", #"{"followee":"ben"}"#) == "true")
    #expect(await test.list("GetFollowing", as: "ann", member: "handle") == ["cem", "ben"])
    #expect(await test.do("ToggleFollow", as: "ann", #"{"followee":"ben"}"#) == "false")
  }

  @Test("A toggle takes back a given chup or heart, even if the user no longer sees the item")
  func toggles() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    _ = await test.do("FollowUser", as: "ann", #"{"followee":"ben"}"#)
    await test.share("w1", by: "ben")
    _ = await test.do("PostComment", as: "ben", #"{"workout":"w1","comment":"c1","text":"x"}"#)
    for (name, input) in [
      ("ToggleChup", #"{"workout":"w1"}"#), ("ToggleCommentHeart", #"{"comment":"c1"}"#),
    ] {
      #expect(await test.do(name, as: "ann", input) == "true")
      _ = await test.do("UpdateProfile", as: "ben", #"{"isPublic":false}"#)
      #expect(await test.do(name, as: "ann", input) == "false", "\(name)")
      let missing = name == "ToggleChup" ? "workoutNotFound" : "commentNotFound"
      #expect(await test.do(name, as: "ann", input) == missing)
      _ = await test.do("UpdateProfile", as: "ben", #"{"isPublic":true}"#)
    }
  }
}
