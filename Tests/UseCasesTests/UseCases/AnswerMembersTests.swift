import Events
import Testing
import UseCases
import UseCasesTesting

@Suite struct AnswerMembersTests {
  @Test("A workout and its detail show when they were created, also after an edit")
  func created() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    await test.share("w1", by: "ann")
    func asked() async -> JSONValue? {
      try? await test.reply("GetWorkoutDetail", as: "ann", #"{"workout":"w1"}"#).result.get()
    }
    #expect(await asked()?["createdAt"] == .string("2026-01-19T09:00:00.000Z"))
    #expect(await asked()?["detailCreatedAt"] == .null)
    test.clock.advance(by: 60)
    #expect(
      await test.do("EditWorkout", as: "ann", #"{"workout":"w1","text":"easy"}"#) == "null")
    let detail = #"{"workout":"w1","intervals":[]}"#
    #expect(await test.do("AttachWorkoutDetail", as: "ann", detail) == "null")
    #expect(await asked()?["createdAt"] == .string("2026-01-19T09:00:00.000Z"))
    #expect(await asked()?["detailCreatedAt"] == .string("2026-01-19T09:01:00.000Z"))
    let alone = await test.do("GetWorkout", as: "ann", #"{"workout":"w1"}"#)
    #expect(alone.contains(#""createdAt":"2026-01-19T09:00:00.000Z""#))
  }

  @Test("Only the owner and services see premium's product, expiry and transaction")
  func premium() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    let record = RecordPremium.Input(
      user: "ann", product: "plus", expires: try #require(DateTime("2026-02-01T00:00:00Z")),
      transaction: "t1")
    _ = try await RecordPremium(test.core).execute(record, as: .service("billing"))
    let shown =
      #""premium":[{"product":"plus","expires":"2026-02-01T00:00:00Z","transaction":"t1"}]"#
    #expect(await test.do("GetProfile", as: "ann").contains(shown))
    #expect(
      try await GetProfile(test.core).execute(.init(user: "ann"), as: .service("x")).json.text
        .contains(shown))
    for caller in ["ben", nil] {
      let said = await test.do("GetProfile", as: caller, #"{"user":"ann"}"#)
      #expect(said.contains(#""premium":null"#))
    }
    #expect(await test.do("GetProfile", as: "ben").contains(#""premium":[]"#))
  }

  @Test("UpdateProfile sets and clears the photo's address, together with the rest or not at all")
  func photoURL() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    let url = "https://example.org/a.jpg"
    let said = await test.do(
      "UpdateProfile", as: "ann", #"{"bio":"I","photoURL":"\#(url)"}"#)
    #expect(said.contains(#""photoURL":"\#(url)","bio":"I""#))
    let count = await test.count
    for bad in ["http://example.org/a.jpg", "javascript:alert(1)", ""] {
      #expect(
        await test.do("UpdateProfile", as: "ann", #"{"bio":"II","photoURL":"\#(bad)"}"#)
          == "invalidInput")
    }
    #expect(await test.count == count)
    #expect(
      await test.do("UpdateProfile", as: "ann", #"{"photoURL":null}"#)
        .contains(#""photoURL":null,"bio":"I""#))
    let types = await test.log.read(after: count, limit: 9).map(\.type)
    #expect(types == ["ProfilePhotoRemoved"])
  }

  @Test("A search continues after an offset, in the same order")
  func offset() async throws {
    let test = try await TestCore()
    let all = (1...9).map { "ann\($0)" }
    for user in all { try await test.people(user) }
    func found(_ rest: String) async -> [String] {
      await test.list("SearchProfiles", as: "ann1", #"{"query":"ann"\#(rest)}"#)
    }
    #expect(await found("") == all)
    #expect(await found(#","limit":4,"offset":3"#) == ["ann4", "ann5", "ann6", "ann7"])
    #expect(await found(#","offset":8"#) == ["ann9"])
    #expect(await found(#","offset":9"#) == [])
    #expect(await found(#","offset":-1"#) == all)
    #expect(await found(#","offset":9223372036854775807"#) == [])
    // A hidden user takes no place in the list.
    #expect(await test.do("BlockUser", as: "ann4", #"{"user":"ann1"}"#) == "null")
    #expect(await found(#","limit":2,"offset":2"#) == ["ann3", "ann5"])
  }

  @Test("RefreshSports and RefreshBaseLocation read what others appended")
  func refreshing() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    let other = try await Core(test.log)
    let set = SetBaseLocation.Input(latitude: 1, longitude: 2)
    _ = try await SetBaseLocation(other).execute(set, as: "ann")
    let sport = SetSport.Input(sport: "climbing", level: .expert)
    _ = try await SetSport(other).execute(sport, as: "ann")
    #expect(
      await test.do("RefreshBaseLocation", as: "ann")
        == #"{"latitude":1,"longitude":2,"name":null}"#)
    #expect(
      await test.do("RefreshSports", as: "ann")
        == #"[{"sport":"climbing","level":"expert","isMentor":false}]"#)
  }

  @Test("Answers have a stored photo's address if the caller gives a base; events have the path")
  func photoBase() async throws {
    let test = try await TestCore()
    try await test.people("ann")
    let path = "/storage/v1/object/public/avatars/ann/1_a.jpg"
    let line =
      #"{"type":"ProfilePhotoSet","v":2,"actor":"ann","data":{"user":"ann","url":"\#(path)"}}"#
    try await test.log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    try await test.core.catchUp()
    await test.share("w1", by: "ann")
    var caller = Caller("ann")
    #expect(
      try await GetProfile(test.core).execute(.init(), as: caller).photoURL == path)
    caller.photoBase = "https://api.example.org"
    let wanted = "https://api.example.org" + path
    #expect(
      try await GetProfile(test.core).execute(.init(), as: caller).photoURL == wanted)
    #expect(try await GetFeed(test.core).execute(.init(), as: caller).first?.photoURL == wanted)
    var edit = UpdateProfile.Input()
    edit.bio = .set("I")
    #expect(
      try await UpdateProfile(test.core).execute(edit, as: caller).photoURL == wanted)
    edit.photoURL = .set("https://example.org/a.jpg")
    #expect(
      try await UpdateProfile(test.core).execute(edit, as: caller).photoURL
        == "https://example.org/a.jpg")
  }
}
