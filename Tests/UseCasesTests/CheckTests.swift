import Aggregates
import Events
import Testing

@testable import UseCases
@testable import eventlog_cli

@Suite struct CheckTests {
  @Test("A plausible history breaks nothing; each forbidden event is found, and only those")
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
      let follow = Event.userFollowed(Follow(follower: actor, followee: actor))
      try await log.append(
        Commit([NewEvent(follow, actor: names[actor], time: time, names: names)]))
      wrong.append(await log.head())
    }
    let check = try Check(log.view())
    #expect(check.findings.map(\.seq) == wrong && wrong.count == 3)
    #expect(check.brokenInvariant == nil && check.count == 303)
    let before = try Check(log.view(), until: wrong[1] - 1)
    #expect(before.findings.map(\.seq) == [wrong[0]] && before.count == Int(wrong[1]) - 1)
    #expect(try !Check(log.view(), rules: .ride).findings.isEmpty)
    #expect(try Check(InMemoryLog().view()).count == 0)
  }
}
