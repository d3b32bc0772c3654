import Events
import Testing
import UseCases

@Suite struct CommentUseCaseTests {
  private func circle() async throws -> TestCore {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem")
    try await test.befriend("ann", "ben")
    await test.share("w1", by: "ann")
    await test.share("w2", by: "ann")
    return test
  }

  @Test("Only the owner and friends can give, toggle, enlarge and withdraw chups")
  func chups() async throws {
    let test = try await circle()
    func chup(_ name: String, _ user: String) async -> String {
      await test.do(name, as: user, #"{"workout":"w1"}"#)
    }
    #expect(await chup("ToggleChup", "ben") == "true")
    #expect(await chup("GiveBigChup", "ben") == "null")
    let before = await test.count
    #expect(await chup("GiveBigChup", "ben") == "null")
    #expect(await test.count == before)
    #expect(await chup("ToggleChup", "ann") == "true")
    #expect(await chup("ToggleChup", "cem") == "notVisible")
    let chups = try await GetChups(test.core).execute(.init(workout: "w1"), as: "ben")
    #expect(chups.count == 2 && chups.chuppedByMe && chups.users.map(\.user) == ["ann", "ben"])
    #expect(await chup("ToggleChup", "ben") == "false")
    #expect(await chup("GetChups", "ben").hasPrefix(#"{"count":1,"chuppedByMe":false"#))
    #expect(await test.do("ToggleChup", as: "ben", #"{"workout":"w9"}"#) == "workoutNotFound")
    #expect(await test.do("ToggleChup", as: "zoe", #"{"workout":"w1"}"#) == "profileNotFound")
  }

  @Test("Comments can be posted, answered, edited, hearted and removed, and the oldest comes first")
  func comments() async throws {
    let test = try await circle()
    func post(_ user: String, _ rest: String) async -> String {
      await test.do("PostComment", as: user, #"{"workout":"w1",\#(rest)}"#)
    }
    #expect(
      await post("ben", #""text":"  strong!\n","comment":"c1""#).contains(#""text":"strong!""#))
    #expect(
      await post("ann", #""text":"thanks","comment":"c2","replyTo":"c1""#)
        .hasPrefix(#"{"comment":"c2","user":"ann""#))
    #expect(await post("ben", #""text":" \n ""#) == "commentEmpty")
    #expect(
      await post("ben", #""text":"\#(String(repeating: "👍🏽", count: 1_001))""#) == "commentTooLong")
    #expect(await post("cem", #""text":"hi""#) == "notVisible")
    #expect(await post("ben", #""text":"hi","replyTo":"c9""#) == "commentNotFound")
    #expect(await post("ben", #""text":"hi","comment":"a b""#) == "invalidInput")
    #expect(
      await test.do("PostComment", as: "ben", #"{"workout":"w2","text":"x","replyTo":"c1"}"#)
        == "commentNotFound")
    #expect(await test.do("ToggleCommentHeart", as: "ann", #"{"comment":"c1"}"#) == "true")
    #expect(await test.do("ToggleCommentHeart", as: "cem", #"{"comment":"c1"}"#) == "notVisible")
    #expect(
      await test.do("ToggleCommentHeart", as: "ann", #"{"comment":"c9"}"#) == "commentNotFound")
    #expect(
      await test.do("EditComment", as: "ann", #"{"comment":"c1","text":"x"}"#) == "notAuthorized")
    #expect(
      await test.do("EditComment", as: "ben", #"{"comment":"c1","text":"so strong"}"#) == "null")
    #expect(
      await test.do("GetComments", as: "ann", #"{"workout":"w1"}"#)
        == #"[{"comment":"c1","user":"ben","handle":"ben","text":"so strong","#
        + #""time":"2026-01-19T09:00:00.000Z","replyTo":null,"hearts":1,"heartedByMe":true},"#
        + #"{"comment":"c2","user":"ann","handle":"ann","text":"thanks","#
        + #""time":"2026-01-19T09:00:00.000Z","replyTo":"c1","hearts":0,"heartedByMe":false}]"#)
    #expect(await test.do("ToggleCommentHeart", as: "ann", #"{"comment":"c1"}"#) == "false")
    #expect(await test.do("RemoveComment", as: "cem", #"{"comment":"c1"}"#) == "notVisible")
    #expect(await test.do("RemoveComment", as: "ann", #"{"comment":"c1"}"#) == "null")
    #expect(await test.do("RemoveComment", as: "ann", #"{"comment":"c1"}"#) == "commentNotFound")
    #expect(
      await test.list("GetComments", as: "ann", #"{"workout":"w1"}"#, member: "comment") == ["c2"])
    let posted = try JSONValue(await post("ben", #""text":"no id given""#))
    guard case .string(let id)? = posted["comment"] else { throw CancellationError() }
    #expect(id.count == 36)
  }

  @Test("The latest hundred comments are shown, oldest first")
  func manyComments() async throws {
    let test = try await circle()
    for number in 0..<105 {
      _ = await test.do(
        "PostComment", as: "ben", #"{"workout":"w1","text":"\#(number)","comment":"c\#(number)"}"#)
    }
    let texts = await test.list("GetComments", as: "ann", #"{"workout":"w1"}"#, member: "text")
    #expect(texts.count == 100 && texts.first == "5" && texts.last == "104")
    #expect(try await GetFeed(test.core).execute(.init(), as: "ann").last?.commentCount == 105)
  }

  @Test("Notifications show others' actions, newest first, without those taken back")
  func notifications() async throws {
    let test = try await circle()
    func told(_ user: String, _ input: String = "{}") async -> [String] {
      let kinds = await test.list("GetNotifications", as: user, input, member: "kind")
      let users = await test.list("GetNotifications", as: user, input)
      return zip(kinds, users).map { "\($0) \($1)" }
    }
    #expect(await told("ann") == ["acceptance ben"])
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    _ = await test.do("SendFriendRequest", as: "cem", #"{"receiver":"ann"}"#)
    _ = await test.do("ToggleChup", as: "ben", #"{"workout":"w1"}"#)
    _ = await test.do("ToggleChup", as: "ann", #"{"workout":"w1"}"#)
    _ = await test.do("PostComment", as: "ben", #"{"workout":"w1","text":"hey","comment":"c1"}"#)
    #expect(
      await told("ann") == [
        "comment ben", "chup ben", "request cem", "follow ben", "acceptance ben",
      ])
    #expect(await told("ann", #"{"limit":2}"#) == ["comment ben", "chup ben"])
    #expect(await told("ann", #"{"limit":0}"#) == ["comment ben"])
    _ = await test.do("ToggleChup", as: "ben", #"{"workout":"w1"}"#)
    _ = await test.do("RemoveComment", as: "ben", #"{"comment":"c1"}"#)
    _ = await test.do("CancelFriendRequest", as: "cem", #"{"receiver":"ann"}"#)
    _ = await test.do("UnfollowUser", as: "ben", #"{"followee":"ann"}"#)
    #expect(await told("ann") == ["acceptance ben"])
    #expect(await test.do("GetNotifications") == "unauthorized")
  }
}
