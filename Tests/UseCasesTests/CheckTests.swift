import Aggregates
import Events
import HistoryGeneration
import Testing

@testable import UseCases

@Suite struct CheckTests {
  @Test("Check reports each forbidden event of a history and nothing else")
  func findings() async throws {
    let log = InMemoryLog()
    var history = HistoryGenerator(events: 300, users: 15, seed: 9)
    var names = Names()
    var wrong: [UInt64] = []
    for index in 0..<300 {
      let (event, actor, time) = history.next(&names)
      try await log.append(
        Commit([NewEvent(event, actor: names[actor], time: time, names: names)]))
      guard index % 97 == 50 else { continue }
      let follow = Event.follow(.followed(Follow(follower: actor, followee: actor)))
      try await log.append(
        Commit([NewEvent(follow, actor: names[actor], time: time, names: names)]))
      wrong.append(await log.head())
    }
    let check = try Check(log.view())
    #expect(check.findings.map(\.seq) == wrong && wrong.count == 3)
    #expect(check.brokenInvariant == nil && check.count == 303)
    let before = try Check(log.view(), until: wrong[1] - 1)
    #expect(before.findings.map(\.seq) == [wrong[0]] && before.count == Int(wrong[1]) - 1)
    #expect(try !Check(log.view(), by: RuleHistory(.ride)).findings.isEmpty)
    #expect(try Check(InMemoryLog().view()).count == 0)
  }

  private func log(_ lines: [(type: String, actor: String, data: String)]) async throws
    -> InMemoryLog
  {
    let log = InMemoryLog()
    for (type, actor, data) in lines {
      let line = #"{"type":"\#(type)","actor":"\#(actor)","data":\#(data)}"#
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    return log
  }

  private let people = ["ann", "bob"].map {
    (
      type: "ProfileCreated", actor: $0,
      data: #"{"user":"\#($0)","handle":"\#($0)","isPublic":true}"#
    )
  }

  @Test("Findings with the same reason form one group, and the most frequent comes first")
  func groups() async throws {
    func bio(_ length: Int) -> (type: String, actor: String, data: String) {
      let text = String(repeating: "x", count: length)
      return ("ProfileEdited", "bob", #"{"user":"bob","bio":"\#(text)"}"#)
    }
    let selfFollow = (
      type: "UserFollowed", actor: "ann", data: #"{"follower":"ann","followee":"ann"}"#
    )
    let check = try Check(
      try await log(people + [selfFollow, bio(300), selfFollow, bio(400), bio(281), bio(280)])
        .view())
    #expect(check.groups.map(\.count) == [3, 2] && check.forbidden == 5)
    #expect(check.groups.map(\.first.code) == ["bioTooLong", "cannotFollowSelf"])
    #expect(
      check.groups.map(\.first.seq) == [4, 3] && check.groups.map(\.actor) == ["bob", "ann"])
    #expect(check.groups.map(\.first.summary).first == "the bio has too many characters")
    #expect(try Check(try await log(people).view()).groups == [])
  }

  @Test("Check keeps a bounded number of findings, but reports all of them in log order")
  func bounded() async throws {
    let again = (type: "UserFollowed", actor: "ann", data: #"{"follower":"ann","followee":"bob"}"#)
    let log = try await log(people + Array(repeating: again, count: Check.kept + 102))
    var told: [UInt64] = []
    let check = try Check(log.view(), found: { told.append($0.seq) })
    #expect(told == Array(4...UInt64(Check.kept + 104)))
    #expect(check.findings.map(\.seq) == Array(told.prefix(Check.kept)))
    #expect(check.forbidden == told.count && check.groups.map(\.count) == [told.count])
  }
}
