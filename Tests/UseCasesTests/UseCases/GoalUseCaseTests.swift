import Events
import Testing
import UseCases
import UseCasesTesting

@Suite struct GoalUseCaseTests {
  private let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  private func week(_ test: TestCore, _ user: String?, _ rest: String = "") async -> String {
    await test.do("GetWeeklyMeters", as: user, #"{"containing":"2026-01-07"\#(rest)}"#)
  }

  private func share(_ test: TestCore, _ id: String, _ date: String, _ rest: String) async {
    let said = await test.do(
      "ShareWorkout", as: "ann",
      #"{"workout":"\#(id)","localID":"\#(id)","date":"\#(date)","totalDistance":\#(rest)}"#)
    #expect(said.contains(id), "\(said)")
  }

  @Test("A week is seven days from Monday in UTC, and others' totals have only items they see")
  func week() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    // 2026-01-05 is a Monday.
    await share(test, "w1", "2026-01-05T00:00:00Z", "1000")
    await share(test, "w2", "2026-01-11T23:59:59Z", "200")
    await share(test, "w3", "2026-01-12T00:30:00+01:00", "30")
    await share(test, "w4", "2026-01-04T23:59:59Z", "4")
    await share(test, "w5", "2026-01-12T00:00:00Z", "5")
    await share(test, "w6", "2026-01-07T12:00:00Z", #"7,"audience":"private""#)
    #expect(
      await week(test, "ann") == #"{"goal":null,"meters":1237,"days":[1000,0,7,0,0,0,230]}"#)
    #expect(
      await week(test, "ben", #","user":"ann""#)
        == #"{"goal":null,"meters":0,"days":[0,0,0,0,0,0,0]}"#)
    _ = await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#)
    #expect(
      await week(test, "ben", #","user":"ann""#)
        == #"{"goal":null,"meters":1230,"days":[1000,0,0,0,0,0,230]}"#)
    #expect(await week(test, nil) == "unauthorized")
    // The first and the last week that dates can name.
    for day in ["0000-01-01", "9999-12-31"] {
      #expect(
        await test.do("GetWeeklyMeters", as: "ann", #"{"containing":"\#(day)"}"#)
          == #"{"goal":null,"meters":0,"days":[0,0,0,0,0,0,0]}"#)
    }
    // Today's week, without any item.
    #expect(
      await test.do("GetWeeklyMeters", as: "ben")
        == #"{"goal":null,"meters":0,"days":[0,0,0,0,0,0,0]}"#)
  }

  @Test("Sums of imported distances saturate, also after removals, and check reports the distances")
  func saturation() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    let most = Int64.max
    func bring(_ type: String, _ data: String) async throws {
      let version = type == "WorkoutRemoved" ? 1 : 2
      let line = #"{"type":"\#(type)","v":\#(version),"actor":"ann","data":\#(data)}"#
      try await test.log.append(Commit([try NewEvent(line: Array(line.utf8))]))
      try await test.core.catchUp()
    }
    for (id, meters) in [("w1", most), ("w2", most), ("w3", 7)] {
      try await bring(
        "WorkoutShared",
        #"{"workout":"\#(id)","owner":"ann","date":"2026-01-05T10:00:00Z","#
          + #""totalDistance":\#(meters),"isErgTest":false,"audience":"public"}"#)
    }
    func board() async -> String {
      await test.do(
        "GetLeaderboard", as: "ben", #"{"period":"week","containing":"2026-01-07"}"#)
    }
    func ranked(_ meters: Int64) -> String {
      #"[{"user":"ann","handle":"ann","meters":\#(meters),"rank":1}]"#
    }
    #expect(await board() == ranked(most))
    #expect(
      await week(test, "ann")
        == #"{"goal":null,"meters":\#(most),"days":[\#(most),0,0,0,0,0,0]}"#)
    try await bring("WorkoutRemoved", #"{"workout":"w1"}"#)
    #expect(await board() == ranked(most))
    #expect(test.core.brokenInvariant() == nil)
    let found = try Check(test.log.view()).findings
    #expect(found.map(\.seq) == [3, 4])
    #expect(Set(found.map(\.code)) == ["invalidWorkout"])
    try await bring("WorkoutRemoved", #"{"workout":"w2"}"#)
    #expect(await board() == ranked(7))
    try await bring("WorkoutEdited", #"{"workout":"w3","totalDistance":\#(Int64.min)}"#)
    // A distance below 0 counts nothing.
    #expect(await board() == "[]")
    try await bring("WorkoutRemoved", #"{"workout":"w3"}"#)
    #expect(await board() == "[]")
  }

  @Test("Only the user sees the goal, and a hidden user has no metres")
  func goal() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    await share(test, "w1", "2026-01-05T00:00:00Z", #"1000,"audience":"public""#)
    #expect(await test.do("SetWeeklyGoal", as: "ann", #"{"meters":20000}"#) == "null")
    let count = await test.count
    #expect(await test.do("SetWeeklyGoal", as: "ann", #"{"meters":20000}"#) == "null")
    #expect(await test.count == count)
    #expect(await test.do("SetWeeklyGoal", as: "ann", #"{"meters":-1}"#) == "outOfRange")
    #expect(await test.do("SetWeeklyGoal", #"{"meters":1}"#) == "unauthorized")
    #expect(await week(test, "ann").hasPrefix(#"{"goal":20000,"#))
    #expect(await week(test, "ben", #","user":"ann""#).hasPrefix(#"{"goal":null,"meters":1000"#))
    _ = await test.do("UpdateProfile", as: "ann", #"{"isPublic":false}"#)
    #expect(await week(test, "ben", #","user":"ann""#).hasPrefix(#"{"goal":null,"meters":0"#))
    #expect(await test.do("SetWeeklyGoal", as: "ann", #"{"meters":0}"#) == "null")
    #expect(await week(test, "ann").hasPrefix(#"{"goal":null,"#))
  }

  @Test("Only a service records premium, and only the user and services see it until it expires")
  func premium() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    func record(_ expires: String, _ user: String = "ann") -> JSONValue {
      .object([
        .init("user", .string(user)), .init("product", .string("plus")),
        .init("expires", .string(expires)),
      ])
    }
    func perform(_ request: Request) async -> String {
      let reply = await test.core.perform([request], photos: test.ports)[0]
      switch reply.result {
      case .success(let value): return value["isPremium"]?.text ?? value.text
      case .failure(let error): return error.code
      }
    }
    func shown(_ viewer: String, isService: Bool = false) async -> String {
      var request = Request(
        "GetProfile", as: viewer, with: .object([.init("user", .string("ann"))]))
      request.isService = isService
      return await perform(request)
    }
    var billing = Request("RecordPremium", as: "billing", with: record("2126-01-01T00:00:00Z"))
    #expect(await perform(billing) == "notAuthorized")
    billing.isService = true
    #expect(await shown("ann") == "false")
    #expect(await perform(billing) == "null")
    #expect(
      await perform(Request("RecordPremium", as: "ann", with: billing.input)) == "notAuthorized")
    #expect(await shown("ann") == "true")
    #expect(await shown("ben") == "null")
    #expect(await shown("billing", isService: true) == "true")
    let event = await test.log.read(after: test.count - 1, limit: 1)
    #expect(event.map(\.actor) == ["service:billing"])
    // The store revokes it: it expires earlier.
    billing.input = record("2020-01-01T00:00:00Z")
    #expect(await perform(billing) == "null")
    #expect(await shown("ann") == "false")
    billing.input = record("2126-01-01T00:00:00Z", "zoe")
    #expect(await perform(billing) == "profileNotFound")
  }

  @Test("At a past revision, premium is what it was at that revision's time")
  func past() async throws {
    let log = InMemoryLog()
    let core = try await Core(log)
    func perform(_ name: String, _ user: String, _ day: Int, _ input: String) async throws {
      var request = Request(
        name, as: user, with: try JSONValue(input),
        time: DateTime("2026-01-\(day)T00:00:00Z")?.instant)
      request.isService = user == "billing"
      let reply = await core.perform([request], photos: photos)[0]
      if case .failure(let error) = reply.result { Issue.record("\(error)") }
    }
    try await perform("CreateProfile", "ann", 10, #"{"user":"ann","handle":"ann"}"#)
    try await perform(
      "RecordPremium", "billing", 11,
      #"{"user":"ann","product":"plus","expires":"2026-01-15T00:00:00Z"}"#)
    try await perform("LogSend", "ann", 20, #"{"climb":"x"}"#)
    for (until, isPremium) in [(1, false), (2, true), (3, false)] {
      let past = try await Past(of: log.view(), until: UInt64(until))
      let profile = try await past.answer(GetProfile.self, .init(user: "ann"), as: "ann")
      #expect(profile.isPremium == isPremium, "as of \(until)")
    }
  }
}
