import Aggregates
import Events
import Testing
import UseCases

/// Pages by `after`, while rows are added and removed between them.
@Suite struct CursorTests {
  /// A list that is read page by page.
  private struct Listing: Sendable {
    var name: String
    var reader: String
    var input = ""
    /// The members of a row that make its cursor: the first one's value, then the others'.
    var cursor: [String]
    var id: String

    func page(_ test: TestCore, after: String?) async -> [JSONValue] {
      let after = after.map { #","after":"\#($0)""# } ?? ""
      let with = #"{"limit":3\#(input)\#(after)}"#
      var request = Request(name, as: reader, with: (try? JSONValue(with)) ?? .null)
      request.isService = name == "GetReports"
      guard
        case .success(.array(let rows)) = await test.core.perform([request], photos: test.ports)[0]
          .result
      else {
        Issue.record("\(name) \(with)")
        return []
      }
      return rows
    }

    /// All rows' ids; calls `between` after each page.
    func all(_ test: TestCore, between: ([String]) async -> Void) async -> [String] {
      var (ids, after): ([String], String?) = ([], nil)
      for _ in 0..<60 {
        let rows = await page(test, after: after)
        guard let last = rows.last else { return ids }
        ids += rows.map { text($0, id) }
        after = cursor.map { text(last, $0) }.joined(separator: ",")
        await between(ids)
      }
      Issue.record("\(name) does not end")
      return ids
    }

    private func text(_ row: JSONValue, _ member: String) -> String {
      // The first of several names whose value is not null.
      for name in member.split(separator: "|") {
        if case .string(let text)? = row[String(name)] { return text }
      }
      return ""
    }
  }

  private struct Dice {
    private var state: UInt64
    init(_ seed: Int) { state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func roll(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
  }

  private func check(
    _ ids: [String], lasting: Set<String>, _ what: String
  ) {
    #expect(Set(ids).count == ids.count, "\(what): a row came twice: \(ids)")
    #expect(lasting.isSubset(of: ids), "\(what): missing \(lasting.subtracting(ids))")
  }

  @Test(
    "Feeds neither repeat nor skip workouts while others are added, removed and edited",
    arguments: 1...8)
  func feeds(seed: Int) async throws {
    let test = try await TestCore(.erg)
    try await test.people("ann", "bob", "cat")
    for user in ["bob", "cat"] { try await test.befriend("ann", user) }
    _ = await test.do("CreateGroup", as: "ann", #"{"group":"g","name":"Rowers","isPublic":true}"#)
    for user in ["bob", "cat"] { _ = await test.do("JoinGroup", as: user, #"{"group":"g"}"#) }
    for listing in [
      Listing(name: "GetFeed", reader: "ann", cursor: ["date", "workout"], id: "workout"),
      Listing(
        name: "GetGroupFeed", reader: "ann", input: #","group":"g""#, cursor: ["date", "workout"],
        id: "workout"),
    ] {
      var (dice, made) = (Dice(seed), 0)
      var present: Set<String> = []
      func share() async {
        made += 1
        let id = "\(listing.name)-\(made)"
        let answer = await test.share(
          id, by: ["ann", "bob", "cat"][dice.roll(3)], day: 1 + dice.roll(5))
        #expect(answer.contains(id), "\(answer)")
        present.insert(id)
      }
      func remove(_ id: String) async {
        for user in ["ann", "bob", "cat"] {
          _ = await test.do("RemoveWorkout", as: user, #"{"workout":"\#(id)"}"#)
        }
        present.remove(id)
      }
      for _ in 0..<20 { await share() }
      let atFirst = present
      let ids = await listing.all(test) { seen in
        for _ in 0..<dice.roll(3) { await share() }
        if dice.roll(2) == 0, let last = seen.last { await remove(last) }
        if let any = present.sorted().dropFirst(dice.roll(20)).first, dice.roll(2) == 0 {
          await remove(any)
        }
      }
      check(ids, lasting: atFirst.intersection(present), "\(listing.name), seed \(seed)")
      for id in present { await remove(id) }
    }
  }

  @Test("All pages of GetFriendActivity together are each user's last items")
  func activity() async throws {
    let test = try await TestCore(.erg)
    try await test.people("ann", "bob", "cat")
    for user in ["bob", "cat"] { try await test.befriend("ann", user) }
    for number in 0..<30 {
      await test.share("w\(number)", by: ["ann", "bob", "cat"][number % 3], day: 1 + number % 7)
    }
    let whole = await test.list("GetFriendActivity", as: "ann", member: "workout")
    let listing = Listing(
      name: "GetFriendActivity", reader: "ann", cursor: ["date", "workout"], id: "workout")
    #expect(whole.count == 16)
    #expect(await listing.all(test) { _ in } == whole)
    #expect(
      await listing.all(test) { seen in await test.share("new\(seen.count)", by: "bob", day: 20) }
        .allSatisfy(whole.contains))
  }

  @Test("Lists of people neither repeat nor skip those who stay", arguments: 1...8)
  func people(seed: Int) async throws {
    let test = try await TestCore(.climb)
    let all = (0..<24).map { "user\($0)" }
    for user in ["ann"] + all { try await test.people(user) }
    _ = await test.do("CreateGroup", as: "ann", #"{"group":"g","name":"Rowers","isPublic":true}"#)
    typealias Change = (String, Bool) async -> String
    let followers: Change = { user, joins in
      await test.do(joins ? "FollowUser" : "UnfollowUser", as: user, #"{"followee":"ann"}"#)
    }
    let following: Change = { user, joins in
      await test.do(
        joins ? "FollowUser" : "UnfollowUser", as: "ann", #"{"followee":"\#(user)"}"#)
    }
    let members: Change = { user, joins in
      await test.do(joins ? "JoinGroup" : "LeaveGroup", as: user, #"{"group":"g"}"#)
    }
    let cursor = ["createdAt", "user"]
    for (listing, change) in [
      (Listing(name: "GetFollowers", reader: "ann", cursor: cursor, id: "user"), followers),
      (Listing(name: "GetFollowing", reader: "ann", cursor: cursor, id: "user"), following),
      (
        Listing(
          name: "GetGroupMembers", reader: "ann", input: #","group":"g""#, cursor: cursor,
          id: "user"), members
      ),
    ] {
      var dice = Dice(seed)
      var (present, gone): (Set<String>, Set<String>) = ([], [])
      for user in all where dice.roll(3) > 0 {
        test.clock.advance(by: 1)
        _ = await change(user, true)
        present.insert(user)
      }
      let atFirst = present
      let ids = await listing.all(test) { seen in
        test.clock.advance(by: 1)
        let last = dice.roll(2) == 0 ? seen.last : nil
        for user in [last, all[dice.roll(24)]] {
          guard let user, user != "ann" else { continue }
          let joins = !present.contains(user)
          // A person who comes back is a new row.
          if joins, gone.contains(user) || atFirst.contains(user) { continue }
          _ = await change(user, joins)
          if joins { present.insert(user) } else { present.remove(user) }
          if !joins { gone.insert(user) }
        }
      }
      check(ids, lasting: atFirst.intersection(present), "\(listing.name), seed \(seed)")
      for user in present { _ = await change(user, false) }
    }
  }

  @Test("Rows of one moment are distinct; if the cursor's own row was removed, none is skipped")
  func oneMoment() async throws {
    let test = try await TestCore(.climb)
    let all = (0..<10).map { "user\($0)" }
    for user in ["ann"] + all { try await test.people(user) }
    for user in all { _ = await test.do("FollowUser", as: user, #"{"followee":"ann"}"#) }
    let listing = Listing(
      name: "GetFollowers", reader: "ann", cursor: ["createdAt", "user"], id: "user")
    #expect(await listing.all(test) { _ in } == all.reversed())
    let ids = await listing.all(test) { seen in
      guard seen.count == 3 else { return }
      _ = await test.do("UnfollowUser", as: "user7", #"{"followee":"ann"}"#)
    }
    #expect(Set(ids) == Set(all))
  }

  @Test("Notifications and reports neither repeat nor skip rows")
  func others() async throws {
    let test = try await TestCore(.climb)
    let all = (0..<9).map { "user\($0)" }
    for user in ["ann"] + all { try await test.people(user) }
    for number in 0..<3 { await test.share("w\(number)", by: "ann") }
    for (index, user) in all.enumerated() {
      if index % 3 == 0 { test.clock.advance(by: 1) }
      _ = await test.do("FollowUser", as: user, #"{"followee":"ann"}"#)
      for number in 0..<2 {
        _ = await test.do("ToggleChup", as: user, #"{"workout":"w\#(number)"}"#)
        _ = await test.do(
          "PostComment", as: user,
          #"{"workout":"w\#(number)","text":"hm","comment":"c\#(index)-\#(number)"}"#)
      }
      _ = await test.do(
        "ReportContent", as: user, #"{"kind":"profile","id":"ann","reason":"x"}"#)
    }
    let notifications = Listing(
      name: "GetNotifications", reader: "ann",
      cursor: ["time", "kind", "user", "comment|workout|group"], id: "text")
    let whole = await test.list(
      "GetNotifications", as: "ann", #"{"limit":50}"#, member: "kind")
    var rows: [JSONValue] = []
    var after: String?
    while true {
      let page = await notifications.page(test, after: after)
      guard let last = page.last else { break }
      rows += page
      func text(_ name: String) -> String? {
        if case .string(let text)? = last[name] { text } else { nil }
      }
      after =
        [text("time")!, text("kind")!, text("user") ?? ""].joined(separator: ",") + ","
        + (text("comment") ?? text("workout") ?? text("group") ?? "")
      // New rows come before all pages.
      test.clock.advance(by: 1)
      _ = await test.do("ToggleFollow", as: "user0", #"{"followee":"ann"}"#)
    }
    #expect(whole.count > 20 && rows.count >= whole.count - 1, "\(rows.count) of \(whole.count)")
    #expect(Set(rows.map(\.text)).count == rows.count)
    let reports = Listing(
      name: "GetReports", reader: "audit", cursor: ["time", "report"], id: "report")
    let ids = await reports.all(test) { _ in
      test.clock.advance(by: 1)
      _ = await test.do(
        "ReportContent", as: "user0", #"{"kind":"profile","id":"ann","reason":"y"}"#)
    }
    #expect(ids.count == all.count && Set(ids).count == all.count)
  }

  @Test("A user's reactions of one moment are distinct; a cursor without the reaction goes on too")
  func reactions() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben")
    try await test.befriend("ann", "ben")
    await test.share("w1", by: "ann")
    test.clock.advance(by: 1)
    let kinds = ["fire", "clap", "wow", "strong", "laugh"]
    for kind in kinds {
      let input = #"{"workout":"w1","kind":"\#(kind)"}"#
      #expect(await test.do("GiveReaction", as: "ben", input) == "null")
    }
    var listing = Listing(
      name: "GetNotifications", reader: "ann",
      cursor: ["time", "kind", "user", "comment|workout|group", "reaction"], id: "reaction|kind")
    let given = Array(kinds.reversed())
    #expect(await listing.all(test) { _ in } == given + ["acceptance"])
    listing.cursor.removeLast()
    #expect(await listing.all(test) { _ in } == given.prefix(3) + ["acceptance"])
  }

  @Test("An invalid cursor is an input error, and an offset counts from the cursor")
  func inputs() async throws {
    let test = try await TestCore(.climb)
    try await test.people("ann", "bob", "cat", "dan")
    for user in ["bob", "cat", "dan"] {
      test.clock.advance(by: 1)
      _ = await test.do("FollowUser", as: user, #"{"followee":"ann"}"#)
    }
    for text in ["", "bob", "2026-01-01T00:00:00Z", ",bob", "yesterday,bob", "3"] {
      for name in [
        "GetFollowers", "GetFollowing", "GetFeed", "GetFriendActivity", "GetNotifications",
      ] {
        #expect(
          await test.do(name, as: "ann", #"{"after":"\#(text)"}"#) == "invalidInput", "\(text)")
      }
    }
    let time = await test.list("GetFollowers", as: "ann", member: "createdAt")[0]
    #expect(
      await test.list("GetFollowers", as: "ann", #"{"after":"\#(time),dan"}"#) == ["cat", "bob"])
    #expect(
      await test.list("GetFollowers", as: "ann", #"{"after":"\#(time),dan","offset":1}"#) == ["bob"]
    )
    #expect(
      await test.list("GetFollowers", as: "ann", #"{"after":"9999-12-31T00:00:00Z,x"}"#)
        == ["dan", "cat", "bob"])
    #expect(
      await test.list("GetFollowers", as: "ann", #"{"after":"2000-01-01T00:00:00Z,x"}"#) == [])
  }
}
