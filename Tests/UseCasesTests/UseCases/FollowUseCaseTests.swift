import Testing
import UseCases

@Suite struct FollowUseCaseTests {
  @Test("Follow, unfollow and toggle answer the new state; following again lists first again")
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

  @Test("Pages of followers: limit clamped to 1…50, offset to 0 and more")
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

  @Test("Friends: every relationship from both sides, and lists newest first")
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

  @Test("Friends are listed up to a hundred")
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
