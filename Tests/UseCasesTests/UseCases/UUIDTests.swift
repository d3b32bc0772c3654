import Events
import Projections
import Testing
import UseCases

@Suite struct UUIDTests {
  private let upper = "0190B0D7-8E2F-7ABC-8DEF-0123456789AB"
  private var lower: String { upper.lowercased() }
  private var mixed: String { String(upper.dropLast(12)) + lower.suffix(12) }

  @Test("A new UUID is written in lower case, and is one user in any case")
  func new() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    let created = await test.reply(
      "CreateProfile", as: upper, #"{"user":"\#(mixed)","handle":"bob"}"#)
    #expect(created.json.text.contains(#""user":"\#(lower)""#))
    let event = try #require(await test.log.read(after: 1, limit: 1).first)
    #expect(event.actor == lower && event.stream == "profile/\(lower)")
    for id in [upper, lower, mixed] {
      #expect(
        await test.do("CreateProfile", as: id, #"{"user":"\#(id)","handle":"bob2"}"#)
          == "profileExists")
      #expect(
        await test.do("UpdateProfile", as: id, #"{"user":"\#(upper)","bio":"I"}"#)
          .contains(#""user":"\#(lower)""#))
      #expect(await test.do("GetProfile", #"{"user":"\#(id)"}"#).contains(#""handle":"bob""#))
      #expect(
        await test.do("CheckHandleAvailability", as: id, #"{"handle":"BOB"}"#)
          == #""available""#)
      #expect(await test.do("GetRelationship", as: lower, #"{"other":"\#(id)"}"#) == #""self""#)
      #expect(
        await test.do("FollowUser", as: lower, #"{"followee":"\#(id)"}"#) == "cannotFollowSelf")
      #expect(await test.do("FollowUser", as: "ann", #"{"followee":"\#(id)"}"#) == "true")
      #expect(
        await test.do("IsFollowing", as: "ann", #"{"followee":"\#(id)"}"#) == "true")
    }
    #expect(await test.list("GetFollowing", as: "ann") == [lower])
    #expect(await test.share("w1", by: upper) == #""w1""#)
    #expect(
      await test.list("GetFeed", as: "ann", #"{"owner":"\#(mixed)"}"#, member: "workout") == ["w1"])
    let actors = Set(await test.log.read(after: 0, limit: 99).map(\.actor))
    #expect(actors == ["ann", lower])
    #expect(try Check(test.log.view()).findings.isEmpty)
  }

  @Test("A known UUID means the log's own spelling, in any case")
  func known() async throws {
    for own in [upper, mixed] {
      let log = InMemoryLog()
      let line =
        #"{"type":"ProfileCreated","v":2,"actor":"\#(own)","#
        + #""data":{"user":"\#(own)","handle":"bob","isPublic":true}}"#
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
      let core = try await Core(log)
      for id in [lower, upper, mixed] {
        _ = try await LogSend(core).execute(.init(climb: "x"), as: Caller(id))
        let profile = try await GetProfile(core).execute(.init(user: id), as: nil)
        #expect(profile.user == own)
        #expect(core.spelling(ofUser: id) == own)
      }
      #expect(Set(await log.read(after: 0, limit: 9).map(\.actor)) == [own])
    }
  }

  @Test("A log with both spellings keeps two users, and check reports the second")
  func both() async throws {
    let log = InMemoryLog()
    for (id, handle) in [(upper, "bob"), ("ann", "ann"), (lower, "bob2"), (mixed, "bob3")] {
      let line =
        #"{"type":"ProfileCreated","v":2,"actor":"\#(id)","#
        + #""data":{"user":"\#(id)","handle":"\#(handle)","isPublic":true}}"#
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    let core = try await Core(log)
    for (id, handle) in [(upper, "bob"), (lower, "bob2"), (mixed, "bob3")] {
      #expect(try await GetProfile(core).execute(.init(user: id), as: nil).handle == handle)
    }
    let check = try Check(log.view())
    #expect(check.findings.map(\.seq) == [3, 4])
    #expect(check.findings.allSatisfy { $0.code == "otherCase" } && check.forbidden == 2)
    #expect(try Check(log.view(), until: 2).findings.isEmpty)
  }

  @Test("Only UUIDs of users ignore case")
  func others() async throws {
    let test = try await TestCore()
    try await test.people("Ann", "ann2", "bob")
    #expect(await test.do("GetProfile", #"{"user":"ann"}"#) == "profileNotFound")
    #expect(await test.share(upper, by: "bob") == #""\#(upper)""#)
    #expect(
      await test.do("GetWorkout", as: "bob", #"{"workout":"\#(lower)"}"#)
        == "workoutNotFound")
    var names = Names()
    // As long as a UUID, but not one.
    let text = "0190B0D7-8E2F-7ABC-8DEF-0123456789A@"
    _ = try names.user(text)
    #expect(names.resolve(user: text.lowercased()) == nil)
    #expect(names.resolve(user: text) != nil && names.usersInTwoCases.isEmpty)
  }
}
