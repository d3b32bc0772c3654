import Aggregates
import Events
import Testing
import UseCases

/// The checks that came with a later edition of the rules.
@Suite struct EditionTests {
  private func newCore(_ edition: Int, restDays: Int = 30) async throws -> TestCore {
    var rules = Rules.climb.of(edition: edition)
    rules.handleRestDays = restDays
    return try await TestCore(rules)
  }

  private func handle(_ test: TestCore, _ user: String, _ handle: String) async -> String {
    let answer = await test.do("UpdateProfile", as: user, #"{"handle":"\#(handle)"}"#)
    return answer.hasPrefix("{") ? "taken by \(user)" : answer
  }

  @Test("A handle that is given up rests for 30 days, and only its last owner can take it before")
  func rest() async throws {
    var test = try await newCore(2)
    func isAvailable(_ user: String?) async -> String {
      await test.do("CheckHandleAvailability", as: user, #"{"handle":"Ann"}"#)
    }
    try await test.people("ann", "ben")
    #expect(await handle(test, "ann", "anna") == "taken by ann")
    #expect(await handle(test, "ben", "ANN") == "handleAlreadyTaken")
    #expect(await isAvailable("ben") == #""taken""#)
    #expect(await isAvailable(nil) == #""taken""#)
    #expect(await isAvailable("ann") == #""available""#)
    #expect(await handle(test, "ann", "Ann") == "taken by ann")
    #expect(await handle(test, "ann", "ANN") == "taken by ann", "another case frees nothing")
    #expect(await test.do("DeleteAccount", as: "ann") == "null")
    test.clock.advance(by: 30 * 86_400 - 1)
    // A core that replays the log has the same state.
    for other in [test, try await TestCore(copying: test)] {
      test = other
      #expect(await handle(test, "ben", "ann") == "handleAlreadyTaken")
      #expect(
        await test.do("CreateProfile", as: "eve", #"{"user":"eve","handle":"ann"}"#)
          == "handleAlreadyTaken")
      #expect(await isAvailable("ben") == #""taken""#)
    }
    test.clock.advance(by: 1)
    #expect(await isAvailable("ben") == #""available""#)
    #expect(await handle(test, "ben", "ann") == "taken by ben")
    #expect(await handle(test, "ben", "ben2") == "taken by ben")
    #expect(await handle(test, "ben", "ann") == "taken by ben")
  }

  @Test("Handles do not rest if the rules say 0 days, or have the first edition")
  func noRest() async throws {
    for test in [try await newCore(2, restDays: 0), try await newCore(1)] {
      try await test.people("ann", "ben")
      _ = await test.do("DeleteAccount", as: "ann")
      #expect(await handle(test, "ben", "ann") == "taken by ben")
    }
  }

  @Test("If a batch of commands fails, a handle that one of them freed is not resting")
  func undo() async throws {
    var states = AggregateStates()
    let (ann, time) = (UserID(index: 0), Timestamp.epoch)
    let profile = ProfileCreated(user: ann, handle: "ann", isPublic: true)
    states.apply(.profile(.created(profile)), at: time)
    let deletion = Event.accountDeleted(UserReference(user: ann))
    for _ in 0..<2 {
      let saved = states.undoRecord(before: deletion)
      states.apply(deletion, at: time)
      #expect(!states.isFree("ann", for: UserID(index: 1), at: time, .climb))
      states.restore(try #require(saved))
      #expect(states.isFree("ann", for: ann, at: time, .climb))
    }
    let other = ProfileCreated(user: UserID(index: 1), handle: "other", isPublic: true)
    states.apply(.profile(.created(other)), at: time)
    var edit = ProfileEdited(user: ann)
    edit.handle = .set("new")
    states.apply(.profile(.edited(edit)), at: time)
    #expect(!states.isFree("ann", for: UserID(index: 1), at: time, .climb))
    #expect(!states.isFree("other", for: ann, at: time, .climb))
  }

  private static let blankTexts = [
    "\u{200b}", "\u{3164}", "\u{202e}", "\u{1d159}", "\u{2800}", "\u{e0041}", "\u{fe0f} \u{2060}",
    "\u{ad}", "\u{0}", "\u{fff9}", "\u{115f}\u{1160}", " \u{200d}\t",
  ]

  @Test("A text that shows nothing counts as empty", arguments: blankTexts)
  func invisible(_ text: String) async throws {
    let test = try await newCore(2)
    try await test.people("ann", "ben")
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    func send(_ name: String, _ fields: String, _ more: String = "") async -> String {
      let text = JSONValue.string(text).text
      return await test.do(name, as: "ben", "{\"\(fields)\":\(text)\(more)}")
    }
    #expect(
      await send("ShareWorkout", "text", #","date":"2026-01-05T08:00:00Z""#) == "invalidWorkout")
    _ = await test.do(
      "ShareWorkout", as: "ben", #"{"workout":"w1","text":"x","date":"2026-01-05T08:00:00Z"}"#)
    #expect(await send("PostComment", "text", #","workout":"w1""#) == "commentEmpty")
    #expect(await send("SendMessage", "text", #","to":"ann""#) == "messageEmpty")
    #expect(await send("CreateGroup", "name", #","isPublic":true"#) == "nameEmpty")
    for field in ["displayName", "bio", "homeGym", "homeZIP", "favoriteStyle"] {
      _ = await test.do("UpdateProfile", as: "ben", "{\"\(field)\":\"shown\"}")
      #expect(await send("UpdateProfile", field).contains("\"\(field)\":null"), "\(field)")
    }
  }

  @Test(
    "Joined emoji, letters of scripts with joiners, and visible format characters show something")
  func visible() {
    for text in ["👩‍👩‍👧‍👦", "می‌خواهم", "\u{0600}", "\u{0301}", "\u{200b}.", "❤️", "\u{e000}"] {
      #expect(Rules.showsSomething(text), "\(text.unicodeScalars.map { $0.value })")
    }
  }
}
