import Events
import Testing
import UseCases

@Suite struct MessageUseCaseTests {
  private func friends() async throws -> TestCore {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    try await test.befriend("ann", "ben")
    return test
  }

  private func send(
    _ test: TestCore, _ user: String, _ to: String, _ id: String, _ text: String = "hi"
  ) async -> String {
    test.clock.advance(by: 1)
    return await test.do(
      "SendMessage", as: user, #"{"to":"\#(to)","text":"\#(text)","message":"\#(id)"}"#)
  }

  private func messages(_ test: TestCore, _ user: String, _ with: String) async -> [String] {
    await test.list("GetMessages", as: user, #"{"with":"\#(with)"}"#, member: "message")
  }

  @Test("Friends write to each other; a retry appends nothing, and pages come newest first")
  func writing() async throws {
    let test = try await friends()
    #expect(await send(test, "ann", "ben", "m1") == #""m1""#)
    let count = await test.count
    #expect(await send(test, "ann", "ben", "m1") == #""m1""#)
    #expect(await test.count == count)
    #expect(await send(test, "ann", "ben", "m1", "other") == "notAuthorized")
    #expect(await send(test, "ben", "ann", "m2") == #""m2""#)
    #expect(await send(test, "ann", "cem", "m3") == "notVisible")
    #expect(await send(test, "ann", "zoe", "m3") == "profileNotFound")
    #expect(await send(test, "ann", "ann", "m3") == "notVisible")
    #expect(await send(test, "ann", "ben", "m3", " ") == "messageEmpty")
    #expect(await messages(test, "ann", "ben") == ["m2", "m1"])
    #expect(await messages(test, "cem", "ann") == [])
    let position = await test.list(
      "GetMessages", as: "ben", #"{"with":"ann","limit":1}"#, member: "position")[0]
    #expect(
      await test.list(
        "GetMessages", as: "ben", #"{"with":"ann","before":\#(position)}"#, member: "message")
        == ["m1"])
  }

  @Test("Messages count as unread until they are read, and later ones are unread again")
  func reading() async throws {
    let test = try await friends()
    _ = await send(test, "ann", "ben", "m1")
    _ = await send(test, "ann", "ben", "m2")
    _ = await send(test, "ben", "ann", "m3")
    func unread(_ user: String) async -> [String] {
      await test.list("GetConversations", as: user, member: "unread")
    }
    #expect(await unread("ben") == ["2"])
    #expect(await unread("ann") == ["1"])
    #expect(await test.do("MarkConversationRead", as: "ben", #"{"with":"ann"}"#) == "null")
    #expect(await unread("ben") == ["0"])
    let count = await test.count
    #expect(await test.do("MarkConversationRead", as: "ben", #"{"with":"ann"}"#) == "null")
    #expect(await test.count == count)
    _ = await test.do("SendMessage", as: "ann", #"{"to":"ben","text":"again"}"#)
    #expect(await unread("ben") == ["1"])
    // The event's data has its own id.
    let read = await test.log.read(after: 0, limit: .max).first { $0.type == "ConversationRead" }
    #expect(
      String(decoding: try #require(read).data, as: UTF8.self).contains("\(try #require(read).id)"))
  }

  @Test("A conversation stays after the friendship ends; a block hides it until the unblocking")
  func ending() async throws {
    let test = try await friends()
    _ = await send(test, "ann", "ben", "m1")
    _ = await test.do("RemoveFriend", as: "ben", #"{"friend":"ann"}"#)
    #expect(await send(test, "ann", "ben", "m2") == "notVisible")
    #expect(await messages(test, "ben", "ann") == ["m1"])
    _ = await test.do("BlockUser", as: "ben", #"{"user":"ann"}"#)
    #expect(await send(test, "ann", "ben", "m2") == "profileNotFound")
    for (user, other) in [("ann", "ben"), ("ben", "ann")] {
      #expect(await messages(test, user, other) == [])
      #expect(await test.do("GetConversations", as: user) == "[]")
    }
    _ = await test.do("UnblockUser", as: "ben", #"{"user":"ann"}"#)
    #expect(await messages(test, "ann", "ben") == ["m1"])
  }

  @Test("Only the sender can remove a message, for both; a deleted account's messages stay")
  func removal() async throws {
    let test = try await friends()
    _ = await send(test, "ann", "ben", "m1")
    _ = await send(test, "ann", "ben", "m2")
    func remove(_ user: String) async -> String {
      await test.do("RemoveMessage", as: user, #"{"message":"m1"}"#)
    }
    #expect(await remove("ben") == "notAuthorized")
    #expect(await remove("cem") == "messageNotFound")
    #expect(await remove("ann") == "null")
    #expect(await messages(test, "ben", "ann") == ["m2"])
    _ = await test.do("DeleteAccount", as: "ann")
    #expect(
      await test.do("GetConversations", as: "ben").hasPrefix(
        #"[{"other":null,"lastMessage":{"message":"m2""#))
    #expect(
      await test.list("GetMessages", as: "ben", #"{"with":"ann"}"#, member: "sender") == ["null"])
  }

  @Test("If the rules allow it, followers and followees may write to each other")
  func following() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben", "cem")
    _ = await test.do("FollowUser", as: "ann", #"{"followee":"ben"}"#)
    #expect(await send(test, "ben", "ann", "m1") == #""m1""#)
    #expect(await send(test, "ann", "ben", "m2") == #""m2""#)
    try await test.befriend("ann", "cem")
    #expect(await send(test, "ann", "cem", "m3") == "notVisible")
  }
}

@Suite struct ReadingNotificationsTests {
  @Test("Replies and hearts to a user's comments are notified while the user sees the item")
  func replies() async throws {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    for friend in ["ben", "cem"] { try await test.befriend("ann", friend) }
    await test.share("w1", by: "ann")
    _ = await test.do(
      "PostComment", as: "ben", #"{"workout":"w1","comment":"c1","text":"one"}"#)
    _ = await test.do(
      "PostComment", as: "cem", #"{"workout":"w1","comment":"c2","text":"two","replyTo":"c1"}"#)
    _ = await test.do("HeartComment", as: "ann", #"{"comment":"c1"}"#)
    func told(_ user: String) async -> [String] {
      await test.list("GetNotifications", as: user, member: "kind")
    }
    #expect(await told("ben") == ["heart", "reply", "request"].filter { $0 != "request" })
    #expect(await test.list("GetNotifications", as: "ben", member: "comment") == ["c1", "c2"])
    // The owner gets each comment once.
    #expect(await told("ann") == ["comment", "comment", "acceptance", "acceptance"])
    _ = await test.do("UnheartComment", as: "ann", #"{"comment":"c1"}"#)
    #expect(await told("ben") == ["reply"])
    _ = await test.do("EditWorkout", as: "ann", #"{"workout":"w1","audience":"private"}"#)
    #expect(await told("ben") == [])
    _ = await test.do("EditWorkout", as: "ann", #"{"workout":"w1","audience":null}"#)
    _ = await test.do("RemoveComment", as: "cem", #"{"comment":"c2"}"#)
    #expect(await told("ben") == [])
  }

  @Test("Marking as read covers all or up to an event, and hidden senders do not count")
  func unread() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben", "cem", "dan")
    for user in ["ben", "cem"] {
      _ = await test.do("FollowUser", as: user, #"{"followee":"ann"}"#)
      test.clock.advance(by: 60)
    }
    #expect(await test.do("GetUnreadCount", as: "ann") == "2")
    let first = await test.log.read(after: 0, limit: .max).first { $0.type == "UserFollowed" }
    let input = #"{"upTo":"\#(try #require(first).id)"}"#
    #expect(await test.do("MarkNotificationsRead", as: "ann", input) == "null")
    #expect(await test.do("GetUnreadCount", as: "ann") == "1")
    #expect(
      await test.list("GetNotifications", as: "ann", member: "unread") == ["true", "false"])
    #expect(await test.do("MarkNotificationsRead", as: "ann") == "null")
    #expect(await test.do("GetUnreadCount", as: "ann") == "0")
    let count = await test.count
    #expect(await test.do("MarkNotificationsRead", as: "ann") == "null")
    #expect(await test.count == count)
    _ = await test.do("FollowUser", as: "dan", #"{"followee":"ann"}"#)
    #expect(await test.do("GetUnreadCount", as: "ann") == "1")
    _ = await test.do("UpdateProfile", as: "dan", #"{"isPublic":false}"#)
    #expect(await test.do("GetUnreadCount", as: "ann") == "0")
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"cem"}"#)
    for wrong in ["soon", "00000000-0000-4000-8000-000000000000"] {
      #expect(
        await test.do("MarkNotificationsRead", as: "cem", #"{"upTo":"\#(wrong)"}"#)
          == "invalidInput")
    }
  }

  @Test("A repeated read mark appends nothing, and an invalid mark is always refused")
  func repeated() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben", "cem")
    #expect(
      await test.do("MarkNotificationsRead", as: "ann", #"{"upTo":"soon"}"#) == "invalidInput")
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    let first = await test.log.read(after: 0, limit: .max).last
    let input = #"{"upTo":"\#(try #require(first).id)"}"#
    test.clock.advance(by: 60)
    _ = await test.do("FollowUser", as: "cem", #"{"followee":"ann"}"#)
    #expect(await test.do("MarkNotificationsRead", as: "ann", input) == "null")
    let count = await test.count
    #expect(await test.do("MarkNotificationsRead", as: "ann", input) == "null")
    #expect(await test.count == count)
  }

  @Test("A message and its read mark in one batch are ordered")
  func grouped() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben")
    _ = await test.do("FollowUser", as: "ann", #"{"followee":"ben"}"#)
    let requests = [
      Request("SendMessage", as: "ben", with: try JSONValue(#"{"to":"ann","text":"hi"}"#)),
      Request("MarkConversationRead", as: "ann", with: try JSONValue(#"{"with":"ben"}"#)),
    ]
    _ = await test.core.perform(requests, photos: test.ports)
    #expect(await test.list("GetConversations", as: "ann", member: "unread") == ["0"])
  }

  @Test("A read mark in the future counts as one of now")
  func future() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "ben", "cem")
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    let future = EventID(time: .latest, random: (0, 0))
    _ = await test.do("MarkNotificationsRead", as: "ann", #"{"upTo":"\#(future)"}"#)
    #expect(await test.do("GetUnreadCount", as: "ann") == "0")
    test.clock.advance(by: 1)
    _ = await test.do("FollowUser", as: "cem", #"{"followee":"ann"}"#)
    #expect(await test.do("GetUnreadCount", as: "ann") == "1")
    _ = await test.do("MarkNotificationsRead", as: "ann")
    #expect(await test.do("GetUnreadCount", as: "ann") == "0")
  }
}
