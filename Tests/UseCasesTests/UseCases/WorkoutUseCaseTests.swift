import Events
import Testing
import UseCases

@Suite struct WorkoutUseCaseTests {
  private let detail = #"""
    {"workout":"w1","intervals":[{"orderIndex":0,"time":"03:45.0","meters":1000,\#
    "splitPer500m":"01:52.5","strokeRate":24,"heartRate":150}],"ocrConfidence":0.9}
    """#

  private func circle() async throws -> TestCore {
    let test = try await TestCore(.erg)
    try await test.people("ann", "ben", "cem")
    try await test.befriend("ann", "ben")
    return test
  }

  @Test("Sharing the same local id again edits the workout, and appends nothing without a change")
  func shareTwice() async throws {
    let test = try await circle()
    #expect(await test.share("w1", by: "ann") == #""w1""#)
    let before = await test.count
    #expect(await test.share("w1", by: "ann") == #""w1""#)
    #expect(await test.count == before)
    let again = #"""
      {"localID":"w1","date":"2026-01-01T10:00:00Z","workoutType":"2000m",\#
      "totalTime":"07:29.0","totalDistance":2000,"averageSplit":"01:52.3"}
      """#
    #expect(await test.do("ShareWorkout", as: "ann", again) == #""w1""#)
    #expect(await test.log.read(after: before, limit: 9).map(\.type) == ["WorkoutEdited"])
    // Another owner's same local id is another workout, with an id of its own.
    let other = await test.do("ShareWorkout", as: "ben", again)
    #expect(other.count == 38 && other != #""w1""#)
  }

  @Test(
    "ShareWorkout names the field that is not valid",
    arguments: [
      ("totalTime", #""7:3""#), ("totalTime", #""60:00.0""#), ("totalDistance", "-1"),
      ("averageSplit", #""1:5""#), ("workoutType", #""""#), ("localID", #""""#),
    ])
  func invalid(_ field: String, _ value: String) async throws {
    let test = try await circle()
    var members = [
      "localID": #""1""#, "date": #""2026-01-01T10:00:00Z""#, "workoutType": #""2000m""#,
      "totalTime": #""07:30.0""#, "totalDistance": "2000", "averageSplit": #""01:52.5""#,
    ]
    members[field] = value
    let one = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    let reply = await test.reply("ShareWorkout", as: "ann", one)
    #expect(invalidField(reply.result) == field)
    let many = await test.reply("ShareWorkouts", as: "ann", #"{"workouts":[\#(one)]}"#)
    #expect(invalidField(many.result) == "workouts[0].\(field)")
  }

  private func invalidField(_ result: Result<JSONValue, UseCaseError>) -> String? {
    guard case .failure(.refused(.invalidWorkout(let field))) = result else { return nil }
    return "\(field)"
  }

  @Test("An imported future date does not come first in feeds, and check reports it")
  func future() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    #expect(await test.do("FollowUser", as: "ben", #"{"followee":"ann"}"#) == "true")
    // The clock says 2026-01-19T09:00:00Z.
    func item(_ id: String, _ date: String) -> String {
      #"{"workout":"\#(id)","date":"\#(date)","totalDistance":7}"#
    }
    for date in ["2026-01-21T09:00:00.001Z", "9999-12-31T00:00:00Z"] {
      #expect(await test.do("ShareWorkout", as: "ann", item("x", date)) == "invalidWorkout")
    }
    #expect(await test.do("ShareWorkout", as: "ann", item("w1", "2026-01-18T00:00:00Z")) != "")
    let far = #"{"workout":"far","owner":"ann","date":"9999-12-31T00:00:00Z","totalDistance":7,"#
    let line =
      #"{"type":"WorkoutShared","v":2,"actor":"ann","data":\#(far)"isErgTest":false}}"#
    try await test.log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    try await test.core.catchUp()
    let imported = await test.count
    #expect(await test.do("ShareWorkout", as: "ann", item("w2", "2026-01-21T09:00:00Z")) != "")
    test.clock.advance(by: 3 * 86_400)
    #expect(await test.do("ShareWorkout", as: "ann", item("w3", "2026-01-22T08:00:00Z")) != "")
    for name in ["GetFeed", "GetFriendActivity"] {
      #expect(await test.list(name, as: "ann", member: "workout") == ["w3", "w2", "far", "w1"])
    }
    // Queries about days still use its own date.
    let year = #"{"from":"9999-01-01"}"#
    #expect(await test.list("GetFeed", as: "ann", year, member: "workout") == ["far"])
    let month = #"{"from":"2026-01-20","to":"2026-01-31"}"#
    #expect(await test.list("GetFeed", as: "ann", month, member: "workout") == ["w3", "w2"])
    #expect(
      await test.do("GetWeeklyMeters", as: "ann", #"{"containing":"9999-12-31"}"#)
        == #"{"goal":null,"meters":7,"days":[0,0,0,0,7,0,0]}"#)
    #expect(try Check(test.log.view()).findings.map(\.seq) == [imported])
    // With a new date, it has the date's place.
    let edit = #"{"workout":"far","date":"2026-01-22T09:00:00Z"}"#
    #expect(await test.do("EditWorkout", as: "ann", edit) == "null")
    #expect(
      await test.list("GetFeed", as: "ann", member: "workout") == ["far", "w3", "w2", "w1"])
    #expect(test.core.brokenInvariant() == nil)
  }

  @Test("ShareWorkouts shares all or none, as one commit")
  func shareMany() async throws {
    let test = try await circle()
    func workout(_ id: String, _ time: String = "07:30.0") -> String {
      #"{"workout":"\#(id)","localID":"\#(id)","date":"2026-01-01T10:00:00Z","workoutType":"2k","#
        + #""totalTime":"\#(time)","totalDistance":2000,"averageSplit":"01:52.5"}"#
    }
    let before = await test.count
    let bad = #"{"workouts":[\#(workout("a")),\#(workout("b", "x"))]}"#
    #expect(await test.do("ShareWorkouts", as: "ann", bad) == "invalidWorkout")
    #expect(await test.count == before)
    #expect(await test.do("GetWorkout", as: "ann", #"{"workout":"a"}"#) == "workoutNotFound")
    let good = #"{"workouts":[\#(workout("a")),\#(workout("b")),\#(workout("a"))]}"#
    #expect(await test.do("ShareWorkouts", as: "ann", good) == #"["a","b","a"]"#)
    let batches = await test.log.read(after: before, limit: 9).map { $0.batch?.count }
    #expect(batches == [2, 2])
  }

  @Test("Only its owner and friends see a workout and its detail")
  func visibility() async throws {
    let test = try await circle()
    await test.share("w1", by: "ann")
    for name in ["GetWorkout", "GetWorkoutDetail", "GetChups", "GetComments"] {
      #expect(await test.do(name, as: "cem", #"{"workout":"w1"}"#) == "notVisible")
      #expect(await test.do(name, #"{"workout":"w1"}"#) == "notVisible")
      #expect(await test.do(name, as: "ben", #"{"workout":"w9"}"#) == "workoutNotFound")
      #expect(
        await test.do(name, as: "ben", #"{"workout":"w1"}"#).count > 10 || name == "GetComments")
    }
    let plain = await test.do("GetWorkoutDetail", as: "ben", #"{"workout":"w1"}"#)
    #expect(
      plain.hasSuffix(
        #""intervals":null,"image":null,"ocrConfidence":null,"wasManuallyEdited":null,"#
          + #""detailCreatedAt":null}"#))
    #expect(await test.do("AttachWorkoutDetail", as: "ben", detail) == "notAuthorized")
    #expect(await test.do("AttachWorkoutDetail", as: "ann", detail) == "null")
    let attached = await test.do("GetWorkoutDetail", as: "ben", #"{"workout":"w1"}"#)
    #expect(attached.contains(#""strokeRate":24,"heartRate":150,"timeConfidence":1"#))
    _ = await test.do("RemoveFriend", as: "ben", #"{"friend":"ann"}"#)
    #expect(await test.do("GetWorkout", as: "ben", #"{"workout":"w1"}"#) == "notVisible")
    #expect(await test.list("GetFeed", as: "ben", member: "workout") == [])
    try await test.befriend("ben", "ann")
    #expect(await test.list("GetFeed", as: "ben", member: "workout") == ["w1"])
  }

  @Test("Only the owner edits and removes a workout, and a removed one is gone everywhere")
  func editAndRemove() async throws {
    let test = try await circle()
    await test.share("w1", by: "ann")
    #expect(
      await test.do("EditWorkout", as: "ben", #"{"workout":"w1","text":"x"}"#) == "notAuthorized")
    #expect(await test.do("EditWorkout", as: "ann", #"{"workout":"w1","text":"x"}"#) == "null")
    #expect(
      await test.do("EditWorkout", as: "ann", #"{"workout":"w1","totalTime":"x"}"#)
        == "invalidWorkout")
    #expect(
      await test.do("EditWorkout", as: "ann", #"{"workout":"w2","text":"x"}"#) == "workoutNotFound")
    #expect(await test.do("GetWorkout", as: "ann", #"{"workout":"w1"}"#).contains(#""text":"x""#))
    #expect(await test.do("EditWorkout", as: "ann", #"{"workout":"w1","text":null}"#) == "null")
    #expect(await test.do("GetWorkout", as: "ann", #"{"workout":"w1"}"#).contains(#""text":null"#))
    _ = await test.do("ToggleChup", as: "ben", #"{"workout":"w1"}"#)
    _ = await test.do("PostComment", as: "ben", #"{"workout":"w1","text":"hi","comment":"c1"}"#)
    #expect(await test.do("RemoveWorkout", as: "ben", #"{"workout":"w1"}"#) == "notAuthorized")
    #expect(await test.do("RemoveWorkout", as: "ann", #"{"workout":"w1"}"#) == "null")
    for name in ["GetWorkout", "GetWorkoutDetail", "GetChups", "GetComments", "ToggleChup"] {
      #expect(await test.do(name, as: "ann", #"{"workout":"w1"}"#) == "workoutNotFound")
    }
    #expect(
      await test.do("EditComment", as: "ben", #"{"comment":"c1","text":"x"}"#) == "commentNotFound")
    #expect(await test.do("GetFeed", as: "ann") == "[]")
    #expect(await test.list("GetNotifications", as: "ann", member: "kind") == ["acceptance"])
    // Its local id may be shared again, under a new id.
    #expect(await test.share("w1", by: "ann") == "workoutNotFound")
    #expect(test.core.brokenInvariant() == nil)
  }

  @Test("Friend activity has the user's last 10 items and each friend's last 3, by date")
  func activity() async throws {
    let test = try await circle()
    try await test.befriend("ann", "cem")
    for day in 1...12 {
      await test.share("a\(day)", by: "ann", day: day)
      await test.share("b\(day)", by: "ben", day: day)
      await test.share("c\(day)", by: "cem", day: day)
    }
    let activity = await test.list("GetFriendActivity", as: "ann", member: "workout")
    #expect(
      activity == [
        "c12", "b12", "a12", "c11", "b11", "a11", "c10", "b10", "a10", "a9", "a8", "a7", "a6",
        "a5", "a4", "a3",
      ])
    #expect(await test.list("GetFriendActivity", as: "ben", member: "workout").count == 13)
    var pages: [String] = []
    for offset in [0, 3, 6, 9, 12, 15, 18] {
      let page = await test.list(
        "GetFriendActivity", as: "ann", #"{"limit":3,"offset":\#(offset)}"#, member: "workout")
      #expect(page.count == min(3, max(0, 16 - offset)))
      pages += page
    }
    #expect(pages == activity)
  }

  @Test("The feed is paged and filtered, and counts only what the viewer may see")
  func feed() async throws {
    let test = try await circle()
    await test.share("a1", by: "ann", day: 1)
    await test.share("b2", by: "ben", day: 2, type: "5000m")
    await test.share("a3", by: "ann", day: 3, type: "5000m")
    await test.share("c4", by: "cem", day: 4)
    func feed(_ input: String) async -> [String] {
      await test.list("GetFeed", as: "ann", input, member: "workout")
    }
    #expect(await feed("{}") == ["a3", "b2", "a1"])
    #expect(await feed(#"{"limit":1,"offset":1}"#) == ["b2"])
    #expect(await feed(#"{"limit":-1}"#) == ["a3"])
    #expect(await feed(#"{"owner":"ben"}"#) == ["b2"])
    #expect(await feed(#"{"owner":"cem"}"#) == [])
    #expect(await feed(#"{"workoutType":"5000m"}"#) == ["a3", "b2"])
    #expect(await feed(#"{"workoutType":"5000m","offset":1}"#) == ["b2"])
    #expect(await feed(#"{"from":"2026-01-02"}"#) == ["a3", "b2"])
    #expect(await feed(#"{"to":"2026-01-02"}"#) == ["b2", "a1"])
    #expect(await feed(#"{"from":"2026-01-02T10:00:00Z","to":"2026-01-02T10:00:00Z"}"#) == ["b2"])
    #expect(await feed(#"{"to":"2026-01-02T09:59:59Z"}"#) == ["a1"])
    #expect(await test.do("GetFeed", as: "ann", #"{"from":"yesterday"}"#) == "invalidInput")
    _ = await test.do("ToggleChup", as: "ann", #"{"workout":"b2"}"#)
    _ = await test.do("PostComment", as: "ann", #"{"workout":"b2","text":"go","comment":"k"}"#)
    #expect(
      await test.do("GetFeed", as: "ann", #"{"owner":"ben"}"#)
        == #"[{"workout":"b2","owner":"ben","handle":"ben","displayName":null,"photoURL":null,"#
        + #""date":"2026-01-02T10:00:00Z","workoutType":"5000m","totalTime":"07:30.0","#
        + #""totalDistance":2000,"averageSplit":"01:52.5","intensityZone":null,"isErgTest":false,"#
        + #""text":null,"session":null,"climb":null,"audience":"friends","#
        + #""chupCount":1,"bigChupCount":0,"chuppedByMe":true,"reactions":{},"#
        + #""commentCount":1,"#
        + #""latestComment":{"comment":"k","#
        + #""user":"ann","handle":"ann","text":"go","time":"2026-01-19T09:00:00.000Z","#
        + #""replyTo":null,"hearts":0,"heartedByMe":false}}]"#)
  }

  @Test("The leaderboard ranks by metres of a week or month, and equal metres share a rank")
  func leaderboard() async throws {
    let test = try await circle()
    await test.share("a1", by: "ann", day: 5, meters: 3_000)  // a Monday
    await test.share("b1", by: "ben", day: 11, meters: 5_000)  // the Sunday after
    await test.share("c1", by: "cem", day: 6, meters: 5_000)
    await test.share("c2", by: "cem", day: 12, meters: 9_000)  // next Monday
    for (workout, user) in [("a1", "ann"), ("b1", "ben"), ("c1", "cem"), ("c2", "cem")] {
      _ = await test.do("EditWorkout", as: user, #"{"workout":"\#(workout)","audience":"public"}"#)
    }
    func ranks(_ rest: String) async -> [String] {
      let input = #"{"period":"week","containing":"2026-01-07"\#(rest)}"#
      let users = await test.list("GetLeaderboard", as: "ann", input)
      let ranks = await test.list("GetLeaderboard", as: "ann", input, member: "rank")
      return zip(users, ranks).map { "\($0)\($1)" }
    }
    #expect(await ranks("") == ["ben1", "cem1", "ann3"])
    #expect(await ranks(#","friendsOnly":true"#) == ["ben1", "ann2"])
    let month = #"{"period":"month","containing":"2026-01-31"}"#
    #expect(
      await test.list("GetLeaderboard", month, member: "meters") == ["14000", "5000", "3000"])
    #expect(
      await test.do("GetLeaderboard", #"{"period":"week","containing":"2025-01-07"}"#) == "[]")
  }
}
