import Events
import FaultTesting
import Testing

@testable import Projections
@testable import Replaying

@Suite struct ExpressionTests {
  private func isTrue(_ text: String, _ values: [String: JSONValue] = [:]) throws -> Bool {
    try Expression(text).isTrue { Expression.Value(values[$0.text]) }
  }

  @Test("Comparisons and their combinations with not, and and or are evaluated")
  func meaning() throws {
    let state: [String: JSONValue] = [
      "followers/a.count": .int(41), "followers/a": .array([.string("b"), .string("c-d")]),
      "profile/a.isPublic": .bool(true), "profile/a.bio": .string("up \"there\""),
      "relationship/a/b": .string("friends"), "profile/\"x.y\".sendCount": .int(0),
      "profile/a.location.latitude": .double(-1.5),
    ]
    let yes = [
      "followers/a.count > 40", "followers/a.count >= 41 and followers/a.count <= 41.0",
      "not followers/a.count < 41", "!(followers/a.count != 41)", "41 == followers/a.count",
      "profile/a.isPublic", "profile/a.isPublic == true", "not profile/b.isPublic",
      "relationship/a/b == friends", "relationship/b/a == none", "relationship/a/b != none",
      "followers/a contains b", "followers/a contains c-d", "followers/a contains \"c-d\"",
      "profile/a.bio == \"up \\\"there\\\"\"", "profile/a.bio contains up",
      "profile/\"x.y\".sendCount == 0", "profile/a.location.latitude == -1.5",
      "followers/a.count > 50 or profile/a.isPublic && true", "profile/a.bio > a",
      "followers/nobody.count == none", "  followers/a.count>40  ",
      "not not profile/a.isPublic", "false or not false and true",
    ]
    for text in yes { #expect(try isTrue(text, state), "\(text)") }
    let no = [
      "followers/nobody.count > 0", "followers/nobody.count < 1", "followers/a contains d",
      "followers/b contains b", "relationship/a/b == requestSent",
      "true and (false or profile/b.isPublic)", "not (true or false)",
      "true or true and false == true and not true",
    ]
    for text in no.dropLast() { #expect(try !isTrue(text, state), "\(text)") }
    // And binds tighter than or.
    #expect(try isTrue("true or false and false"))
    #expect(try Expression("followers/a.count > 1 or followers/a.count < 0").paths.count == 1)
  }

  @Test(
    "An expression lists the ids in its paths and comparisons, with their offsets")
  func ids() throws {
    func ids(_ text: String) throws -> [String] {
      try Expression(text).ids.map { "\($0.kind) \($0.id) \($0.offset)" }
    }
    #expect(try ids("followers/al.count > 3") == ["user al 10"])
    #expect(
      try ids("not (relationship/a/\"b.c\" == friends)") == ["user a 18", "user b.c 20"])
    #expect(
      try ids("chups/w1.big contains b and comment/c1.replyTo == c2")
        == ["workout w1 6", "user b 22", "comment c1 36", "comment c2 50"])
    #expect(try ids("workouts/a contains w1") == ["user a 9", "workout w1 20"])
    #expect(try ids("a == handle/wren") == ["handle wren 12", "user a 0"])
    #expect(try ids("leaderboard/week/2026-01-26/a > 1") == ["user a 28"])
    // Other texts are not ids.
    #expect(
      try ids("profile/a.bio == b or notifications/a contains c") == ["user a 8", "user a 36"])
    #expect(StatePath.ids(in: "comment/c1.hearts").map(\.id) == ["c1"])
    #expect(StatePath.ids(in: "followers") == [])
  }

  @Test(
    "An error names the character at which the expression is wrong",
    arguments: [
      ("", 0, "expected at the end"), ("followers/a.count >", 19, "expected at the end"),
      ("followers/a.count", 0, "a number is not a condition"),
      ("folowers/a.count > 1", 0, "no path begins with 'folowers'"),
      ("followers/a.cout > 1", 12, "no member 'cout'"),
      ("followers/a.count > friends", 20, "a number with a text"),
      ("followers/a.count == \"1\"", 21, "a number is compared with a text"),
      ("followers/a == b", 15, "a list cannot be compared"),
      ("followers/a.count contains b", 18, "not a number"),
      ("followers/a contains 3", 21, "not a number"),
      ("relationship/a/b == frends", 20, "no relationship 'frends'"),
      ("relationship/a == friends", 0, "has many values"), ("profile/a == b", 0, "has members"),
      ("followers contains b", 0, "'followers' needs an id: write followers/USER"),
      ("not workouts", 4, "write workouts/USER"), ("friends > 3", 0, "write friends/USER"),
      ("leaderboard/weak/2026-01-26/a > 1", 12, "no leaderboard of 'weak'"),
      ("profile/a.bio = x", 14, "write =="), ("(profile/a.isPublic", 0, "not closed"),
      ("profile/a.bio == \"x", 17, "not closed"), ("profile/\"a.bio == x", 8, "not closed"),
      ("profile/a.isPublic profile/b.isPublic", 19, "unexpected"),
      ("profile/a.isPublic and 3", 23, "not a condition"),
      ("followers.count > 3", 9, "USER is missing"),
      ("profile//.bio == x", 8, "USER is expected"), ("true )", 5, "unexpected"),
      ("chups/w1/x.count > 1", 9, "no part after"),
      (String(repeating: "(", count: 500) + "true", 101, "too deeply"),
      (String(repeating: "not ", count: 500) + "true", 403, "too deeply"),
    ])
  func faults(text: String, offset: Int, message: String) {
    do throws(Expression.Fault) {
      _ = try Expression(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.offset == offset && error.description.contains(message), "\(text): \(error)")
    }
  }

  @Test("No text stops the process by a trap in the parser")
  func hostile() {
    var random = SplitMix64(seed: 9)
    let pieces = [
      "followers", "/", "a", ".", "count", ">", "=", "!", "(", ")", "\"", "\\", " ", "not", "and",
      "contains", "1", "-", "e", "none", "é", "👍🏽", "\u{0}", "profile/a.bio", "&&", "|",
    ]
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...12, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
      _ = try? Expression(text)
      _ = try? StatePath(text)
    }
  }

  @Test(
    "A condition turns at the events after which its value is different",
    arguments: (1...3 as ClosedRange<UInt64>).prefix(Sweep.size(1, 3, 3)))
  func turns(seed: UInt64) async throws {
    let count: UInt64 = 160
    let view = try await TimeTravelTests.view(Int(count), seed: seed)
    let travel = TimeTravel(view)
    let states = try (0...count).map { try WholeState(view, until: $0).facts }
    for text in [
      "followers/u1.count > 1", "relationship/u1/u2 == friends",
      "followers/u1 contains u2 or following/u1 contains u2", "chups/w1 contains u3",
      "workout/w1.totalDistance >= 1000 and not chups/w1.big contains u3",
      "friends/u1.count > 0 and profile/u1.isPublic", "handle/ann == u1 or handle/bo != none",
      "comment/c1.hearts contains u2", "comments/w2.count == 1", "notifications/u1.count > 2",
    ] {
      let condition = try Expression(text)
      func isTrue(_ position: Int) -> Bool {
        condition.isTrue { path in
          if let value = states[position][path.text] { return .init(value) }
          guard path.members.last == "count", path.kind != .followers else { return .none }
          let list = StatePath(
            kind: path.kind, ids: path.ids, members: path.members.dropLast())
          guard case .array(let items)? = states[position][list.text] else { return .number(0) }
          return .number(Double(items.count))
        }
      }
      for start in [0, 57] {
        let found = try await travel.turns(of: condition, after: UInt64(start))
        let wanted = (start + 1...Int(count)).filter { isTrue($0) != isTrue($0 - 1) }
        #expect(found.turns.map(\.event.seq) == wanted.map(UInt64.init), "\(text)")
        #expect(found.startsTrue == isTrue(start), "\(text) at \(start)")
        #expect(found.turns.map(\.becomes) == wanted.map(isTrue), "\(text)")
      }
    }
  }
}
