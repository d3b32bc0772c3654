import EventLog
import Events
import Projections
import Replaying
import Testing

/// Counts follows, wrongly: if it settles after each event, it loses the third one.
private struct Forgetful: ExplainedProjection {
  static let name = "forgetful"
  static let version = 1
  static let handles: EventTypes = [.userFollowed]
  var count = 0
  var sinceSettled = 0

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    switch event {
    case .follow(.followed):
      if !(count == 2 && sinceSettled == 0) { count += 1 }
      sinceSettled += 1
    default: break
    }
  }

  mutating func settle() { sinceSettled = 0 }

  static let kinds: [StatePath.Kind] = []
  static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] { [] }
  func values(under path: StatePath, after event: Event?, _ names: Names) -> Values { Values() }
  func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }
  mutating func code(with coder: inout StateCoder) { coder(&count) }
  func brokenInvariant(_ names: Names) -> String? { nil }

  func facts(_ names: Names) -> [Fact] {
    (0..<count).map { index in
      Fact("follow/\(index)", .string("there"))
    }
  }
}

@Suite struct ComparisonTests {
  private func log() async throws -> LogView {
    let log = InMemoryLog()
    var names = Names()
    let star = try names.user("star")
    for index in 0..<5 {
      let fan = try names.user("u\(index)")
      let created = ProfileCreated(user: fan, handle: "fan_\(index)", isPublic: true)
      let follow = Follow(follower: fan, followee: star)
      try await log.append(
        Commit([NewEvent(.profile(.created(created)), actor: names[fan], names: names)]))
      try await log.append(
        Commit([NewEvent(.follow(.followed(follow)), actor: names[fan], names: names)]))
    }
    return log.view()
  }

  @Test("A projection has the same state in one run and event by event")
  func same() async throws {
    let view = try await log()
    let followers = try await Comparison(FollowerRanking.self, view, until: 10)
    #expect(followers.differences.isEmpty && followers.count == 11)
    let search = try await Comparison(Search.self, view, until: 7)
    #expect(search.differences.isEmpty && search.count == 4)
  }

  @Test("A difference names the first event after which the states differ, and the member")
  func different() async throws {
    let comparison = try await Comparison(Forgetful.self, try await log(), until: 10)
    let difference = try #require(comparison.differences.first)
    // The third follow is event 6.
    #expect(difference.seq == 6)
    #expect(difference.path == "follow/2")
    #expect(
      difference.rebuilt == "there" && difference.other == nil && difference.way == .incremental)
    let before = try await Comparison(Forgetful.self, try await log(), until: 5)
    #expect(before.differences.isEmpty)
  }
}
