import Aggregates
import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCases
import UseCasesTesting

/// Weekly metres and leaderboards count only the items that the caller sees.
@Suite struct MetersTests {
  private static let viewers = [
    "own", "friend", "fan", "both", "stranger", "blocked", "blocker", "nobody", "support",
  ]
  /// The item that own shared for each audience.
  private static let items: [(audience: String, meters: Int)] = [
    ("private", 1), ("friends", 20), ("followers", 300), ("public", 4_000),
  ]

  /// One owner, `own`, with an item for each audience, and people in different relations to own:
  /// `fan` follows, `both` is a friend who follows, `blocked` was blocked by the owner.
  private func society(_ rules: Rules) async throws -> TestCore {
    let test = try await TestCore(rules)
    for user in Self.viewers.dropLast(2) {
      _ = await test.do(
        "CreateProfile", as: user,
        #"{"user":"\#(user)","handle":"\#(user)","displayName":"\#(user)"}"#)
    }
    for friend in ["friend", "both"] { try await test.befriend("own", friend) }
    for fan in ["fan", "both"] {
      _ = await test.do("FollowUser", as: fan, #"{"followee":"own"}"#)
    }
    _ = await test.do("CreateGroup", as: "own", #"{"group":"g1","name":"Crew"}"#)
    for (audience, meters) in Self.items {
      await test.share(audience, by: "own", day: 7, meters: meters)
      _ = await test.do(
        "EditWorkout", as: "own", #"{"workout":"\#(audience)","audience":"\#(audience)"}"#)
    }
    _ = await test.do("BlockUser", as: "own", #"{"user":"blocked"}"#)
    _ = await test.do("BlockUser", as: "blocker", #"{"user":"own"}"#)
    return test
  }

  private func request(_ name: String, _ viewer: String, _ input: String) throws -> Request {
    var request = Request(
      name, as: viewer == "nobody" ? nil : viewer, with: try JSONValue(input))
    request.isService = viewer == "support"
    return request
  }

  /// own's metres in the answer to each query; nil if own is not ranked.
  private func metres(
    as viewer: String, _ perform: (Request) async -> Reply
  ) async throws -> [String: String] {
    var found: [String: String] = [:]
    let week = try request(
      "GetWeeklyMeters", viewer, #"{"user":"own","containing":"2026-01-07"}"#)
    if case .success(let value) = await perform(week).result {
      found["week"] = value["meters"]?.text
      #expect(value["days"]?.text == "[0,0,\(value["meters"]?.text ?? ""),0,0,0,0]")
    }
    for (name, rest) in [
      ("all", ""), ("month", ""), ("group", #","group":"g1""#),
      ("friends", #","friendsOnly":true"#),
    ] {
      let period = name == "month" ? "month" : "week"
      let board = try request(
        "GetLeaderboard", viewer,
        #"{"period":"\#(period)","containing":"2026-01-07"\#(rest)}"#)
      guard case .success(.array(let rows)) = await perform(board).result else { continue }
      #expect(rows.count <= 1)
      found[name] = rows.first { $0["user"] == .string("own") }?["meters"]?.text
    }
    return found
  }

  @Test(
    "A viewer's number is the sum of the items that the viewer sees, now and at past revisions",
    arguments: [Rules.climb, .erg, .ride])
  func audiences(rules: Rules) async throws {
    let test = try await society(rules)
    // By viewer: with a public profile, and with a private one, which caps items at friends.
    let expected: [(open: Int, closed: Int)] = [
      (4_321, 4_321), (4_320, 4_320), (4_300, 0), (4_320, 4_320), (4_000, 0), (0, 0), (0, 0),
      (4_000, 0), (4_321, 4_321),
    ]
    for isPublic in [true, false] {
      if !isPublic { _ = await test.do("UpdateProfile", as: "own", #"{"isPublic":false}"#) }
      let until = test.core.position
      for (viewer, meters) in zip(Self.viewers, expected) {
        let meters = isPublic ? meters.open : meters.closed
        let found = try await metres(as: viewer) {
          await test.core.perform([$0], photos: test.ports)[0]
        }
        let shown = meters == 0 ? nil : "\(meters)"
        let about = "\(viewer), \(rules.name), \(isPublic ? "public" : "private")"
        #expect(found["week"] == "\(meters)", "\(about)")
        #expect(found["all"] == shown && found["month"] == shown, "\(about)")
        #expect(found["group"] == shown, "\(about)")
        let isInCircle = ["own", "friend", "both"].contains(viewer)
        #expect(found["friends"] == (isInCircle ? shown : nil), "\(about)")
        let past = try await Past(of: test.log.view(), until: until, rules: rules)
        #expect(try await metres(as: viewer, past.perform) == found, "as of the past: \(about)")
      }
    }
  }

  @Test("A query at a past revision does not show later changes")
  func past() async throws {
    let test = try await society(.climb)
    let until = test.core.position
    for (audience, _) in Self.items {
      _ = await test.do(
        "EditWorkout", as: "own", #"{"workout":"\#(audience)","audience":"public"}"#)
    }
    let past = try await Past(of: test.log.view(), until: until, rules: .climb)
    #expect(try await metres(as: "stranger", past.perform)["all"] == "4000")
    let now = try await metres(as: "stranger") {
      await test.core.perform([$0], photos: test.ports)[0]
    }
    #expect(now["all"] == "4321" && now["week"] == "4321")
  }

  @Test("A leaderboard ranks by the metres that its viewer sees, and leaves out users without any")
  func ranks() async throws {
    let test = try await TestCore()
    try await test.people("ann", "ben", "cem")
    await test.share("a1", by: "ann", meters: 9_000)
    await test.share("a2", by: "ann", meters: 100)
    await test.share("b1", by: "ben", meters: 500)
    for (workout, user) in [("a2", "ann"), ("b1", "ben")] {
      _ = await test.do("EditWorkout", as: user, #"{"workout":"\#(workout)","audience":"public"}"#)
    }
    await test.share("c1", by: "cem", meters: 700)
    let month = #"{"period":"month","containing":"2026-01-01"}"#
    func ranks(_ viewer: String?) async -> [String] {
      let users = await test.list("GetLeaderboard", as: viewer, month)
      let meters = await test.list("GetLeaderboard", as: viewer, month, member: "meters")
      return zip(users, meters).map { "\($0) \($1)" }
    }
    #expect(await ranks(nil) == ["ben 500", "ann 100"])
    #expect(await ranks("cem") == ["cem 700", "ben 500", "ann 100"])
    _ = await test.do("FollowUser", as: "cem", #"{"followee":"ann"}"#)
    #expect(await ranks("cem") == ["ann 9100", "cem 700", "ben 500"])
    _ = await test.do("EditWorkout", as: "ann", #"{"workout":"a1","audience":"private"}"#)
    #expect(await ranks("cem") == ["cem 700", "ben 500", "ann 100"])
    #expect(await ranks("ann") == ["ann 9100", "ben 500"])
  }

  @Test(
    "In any history, a user's metres for a viewer are those of the items that the viewer may open")
  func exact() async throws {
    let covering = ["counted": 0.3, "left out": 0.3]
    try await check(runs: Sweep.size(20, 60, 1_500), covering: covering) { t in
      let rules = t.draw(.element(of: Rules.presets))
      let history = t.draw(.history(max: 70, users: 5, rules: rules), "history")
      let log = try await history.log()
      let core = try await Core(log, rules: rules)
      let past = try await Past(
        of: log.view(), until: UInt64(history.count), rules: rules, worth: .always)
      let items = Self.items(of: history)
      for viewer in Self.users(of: history) + ["nobody", "support"] {
        func ask(_ name: String, _ input: String) async throws -> JSONValue? {
          let request = try request(name, viewer, input)
          let reply = await core.perform([request], photos: Self.photos)[0]
          #expect(await past.perform(request).json.text == reply.json.text, "\(request)")
          if case .success(let value) = reply.result { return value }
          return nil
        }
        // By week, then by owner: the metres of each day.
        var expected: [Int64: [String: [Int]]] = [:]
        var days: [Int64: CalendarDate] = [:]
        for (id, owner) in items {
          guard let item = try await ask("GetWorkout", #"{"workout":"\#(id)"}"#) else {
            t.label("left out")
            continue
          }
          guard let date = DateTime(Self.text(item["date"]))?.instant else { continue }
          let week = date.weeksSinceEpoch
          days[week] = date.date
          let passed = date.milliseconds - Timestamp.start(ofWeek: week).milliseconds
          let none = [owner: [Int](repeating: 0, count: 7)]
          let meters = Int(item["totalDistance"]?.text ?? "") ?? 0
          expected[week, default: none][owner, default: none[owner]!][Int(passed / 86_400_000)] +=
            meters
          if meters > 0 { t.label("counted") }
        }
        for (week, owners) in expected {
          guard let day = days[week] else { continue }
          for (owner, meters) in owners {
            let shown = try await ask(
              "GetWeeklyMeters", #"{"user":"\#(owner)","containing":"\#(day)"}"#)
            let list = meters.map { "\($0)" }.joined(separator: ",")
            #expect(shown?["days"]?.text == "[\(list)]", "\(owner) as \(viewer), \(rules.name)")
          }
          let board = try await ask(
            "GetLeaderboard", #"{"period":"week","containing":"\#(day)"}"#)
          guard case .array(let rows)? = board else {
            Issue.record("\(viewer) has no leaderboard")
            continue
          }
          let found = Dictionary(
            uniqueKeysWithValues: rows.map { (Self.text($0["user"]), $0["meters"]?.text ?? "") })
          let sums = owners.mapValues { $0.reduce(0, +) }.filter { $0.value > 0 }
          #expect(found == sums.mapValues { "\($0)" }, "as \(viewer), \(rules.name)")
        }
      }
    }
  }

  private static let photos = PhotoPorts(storage: NoPhotos(), encoder: PassThroughEncoder())

  /// The ids of all items ever shared, with their owners.
  private static func items(of history: GeneratedHistory) -> [String: String] {
    var items: [String: String] = [:]
    for entry in history.entries {
      if case .workout(.shared(let data)) = entry.event {
        items[history.names[data.workout]] = history.names[data.owner]
      }
    }
    return items
  }

  private static func users(of history: GeneratedHistory) -> [String] {
    (0..<UInt32(history.names.userCount)).map { history.names[UserID(index: $0)] }
  }

  private static func text(_ value: JSONValue?) -> String {
    if case .string(let text)? = value { return text }
    return ""
  }
}
