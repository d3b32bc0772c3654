import Events
import Testing

@testable import Projections
@testable import eventlog_cli

@Suite struct TimeTravelTests {
  /// Any events, sensible or not, or a plausible history.
  static func view(_ count: Int, seed: UInt64, isPlausible: Bool = false) async throws -> LogView {
    let log = InMemoryLog()
    var names = Names()
    var history = HistoryGenerator(events: count, users: 25, seed: seed)
    var random = try RandomEvents(seed, &names)
    var commits: [Commit] = []
    for index in 0..<count {
      let time = Timestamp(milliseconds: 1_767_225_600_000 + Int64(index) * 60_000)
      if isPlausible {
        let (event, actor, time) = history.next(&names)
        commits.append(Commit([NewEvent(event, actor: names[actor], time: time, names: names)]))
      } else {
        let event = try random.next()
        commits.append(Commit([NewEvent(event, actor: "root", time: time, names: names)]))
      }
    }
    for result in await log.append(commits) { _ = try result.get() }
    return log.view()
  }

  /// Every path of one that has ever been the beginning of a fact's, in the facts given.
  static func paths(_ facts: [Fact]) throws -> [StatePath] {
    var paths: Set<StatePath> = []
    for fact in facts {
      let path = try StatePath(fact.path)
      #expect(path.text == fact.path && path.type != nil, "\(fact.path)")
      paths.insert(StatePath(kind: path.kind, ids: path.ids))
      if path.kind == .relationship { paths.insert(StatePath(kind: .relationship, ids: [path.ids[0]])) }
    }
    return paths.sorted { $0.text < $1.text }
  }

  @Test(
    "What a path was at any revision is what a replay of everything says",
    arguments: [(1, false), (2, false), (3, true)])
  func slices(seed: Int, isPlausible: Bool) async throws {
    let view = try await Self.view(260, seed: UInt64(seed), isPlausible: isPlausible)
    let past = PastState(view)
    let travel = TimeTravel(view)
    var all: Set<StatePath> = []
    for revision in stride(from: UInt64(0), through: 260, by: 20) {
      let facts = try await past.facts(at: revision)
      all.formUnion(try Self.paths(facts))
      for path in all.sorted(by: { $0.text < $1.text }) {
        let found = try await travel.facts(at: revision, under: path)
        let wanted = facts.filter { path.contains($0.path) }
        #expect(found == wanted, "\(path.text) at \(revision)")
        if found != wanted { return }
      }
    }
    #expect(Set(all.map(\.kind)).count == StatePath.Kind.allCases.count)
  }

  @Test(
    "A timeline's steps, one after the other, are the state after each event",
    arguments: [(4, false), (5, false), (6, true)])
  func timelines(seed: Int, isPlausible: Bool) async throws {
    let view = try await Self.view(200, seed: UInt64(seed), isPlausible: isPlausible)
    let past = PastState(view)
    let travel = TimeTravel(view)
    var before: [Fact] = []
    var timelines: [Timeline] = []
    var all: Set<StatePath> = []
    for revision in UInt64(0)...200 { all.formUnion(try Self.paths(try await past.facts(at: revision))) }
    for path in all { timelines.append(try await travel.timeline(of: path)) }
    for revision in UInt64(1)...200 {
      let after = try await past.facts(at: revision)
      let changes = Change.between(before, after)
      before = after
      for timeline in timelines {
        let wanted = changes.filter { timeline.path.contains($0.path) }
        let step = timeline.steps.first { $0.event.seq == revision }
        Self.compare(step, wanted, "\(timeline.path.text) at \(revision)")
      }
      Self.compare(try await travel.change(by: revision), changes, "event \(revision)")
      #expect(try await travel.changes(from: revision - 1, to: revision) == changes)
    }
  }

  /// A step says what the changes say, lists by their items.
  static func compare(_ step: Timeline.Step?, _ wanted: [Change], _ where: String) {
    let lists = wanted.compactMap { change -> Timeline.ListChange? in
      guard let items = change.items, !(items.added.isEmpty && items.removed.isEmpty) else {
        return nil
      }
      var count = 0
      if case .array(let values)? = change.after { count = values.count }
      return .init(
        path: change.path, added: items.added.sorted(), removed: items.removed.sorted(),
        count: count)
    }
    let found = (step?.lists ?? []).map {
      Timeline.ListChange(
        path: $0.path, added: $0.added.sorted(), removed: $0.removed.sorted(), count: $0.count)
    }
    #expect(found == lists, "\(`where`)")
    #expect((step?.values ?? []) == wanted.filter { $0.items == nil }, "\(`where`)")
  }
}
