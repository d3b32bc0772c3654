import EventLog
import Events
import FaultTesting
import Foundation
import HistoryGeneration
import PropertyTesting
import Testing

@testable import Projections
@testable import Replaying

@Suite struct TimeTravelTests {
  /// A log of random events, or of a plausible history.
  static func view(
    _ count: Int, seed: UInt64, isPlausible: Bool = false
  ) async throws -> LogView {
    try await view(commits(count, seed: seed, isPlausible: isPlausible))
  }

  static func view(_ commits: [Commit]) async throws -> LogView {
    let log = InMemoryLog()
    for result in await log.append(commits) { _ = try result.get() }
    return log.view()
  }

  /// Random events or a plausible history, each event in a commit of its own.
  static func commits(_ count: Int, seed: UInt64, isPlausible: Bool) -> [Commit] {
    if isPlausible {
      var names = Names()
      var history = HistoryGenerator(events: count, users: 25, seed: seed)
      return (0..<count).map { _ in
        let (event, actor, time) = history.next(&names)
        return Commit([NewEvent(event, actor: names[actor], time: time, names: names)])
      }
    }
    let random = Generator.hostileHistory(min: count, max: count).sample(seed: seed)
    return random.entries.enumerated().map { index, entry in
      let time = Timestamp(milliseconds: 1_767_225_600_000 + Int64(index) * 60_000)
      let actor = random.names[entry.actor]
      return Commit([NewEvent(entry.event, actor: actor, time: time, names: random.names)])
    }
  }

  /// The paths of the given facts without their members, and those of each relationship's first
  /// user.
  static func paths(_ facts: [Fact]) throws -> [StatePath] {
    var paths: Set<StatePath> = []
    for fact in facts {
      let path = try StatePath(fact.path)
      #expect(path.text == fact.path && path.type != nil, "\(fact.path)")
      paths.insert(StatePath(kind: path.kind, ids: path.ids))
      if path.kind == .relationship {
        paths.insert(StatePath(kind: .relationship, ids: [path.ids[0]]))
      }
    }
    return paths.sorted { $0.text < $1.text }
  }

  @Test("An id anywhere in the log is known at every revision, and unknown ids get similar names")
  func known() async throws {
    let log = InMemoryLog()
    for line in [
      #"{"type":"ProfileCreated","actor":"ada","#
        + #""data":{"user":"ada","handle":"Ada_L","isPublic":true}}"#,
      #"{"type":"UserFollowed","actor":"ada","data":{"follower":"ada","followee":"charles"}}"#,
      #"{"type":"CommentRemoved","actor":"moderator","data":{"comment":"c-10"}}"#,
      #"{"type":"WorkoutRemoved","actor":"ada","data":{"workout":"w-10"}}"#,
      #"{"type":"ProfileEdited","actor":"ada","data":{"user":"ada","handle":"countess"}}"#,
    ] {
      try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    }
    let travel = TimeTravel(log.view())
    func ids(_ kind: NamedID.Kind, _ words: String...) -> [NamedID] {
      words.map { NamedID(kind, $0, offset: 0) }
    }
    // Ids of actors and in data; released handles too, in any case.
    let known =
      ids(.user, "ada", "charles", "moderator") + ids(.comment, "c-10") + ids(.workout, "w-10")
      + ids(.handle, "ada_l", "countess")
    #expect(try await travel.firstUnknown(among: known) == nil)
    for id in ids(.user, "adda", "Ada", "c-10") + ids(.comment, "w-10") + ids(.handle, "ada") {
      #expect(try await travel.firstUnknown(among: known + [id]) == id)
    }
    func near(_ kind: NamedID.Kind, _ word: String) async throws -> [String] {
      try await travel.candidates(for: NamedID(kind, word, offset: 0))
    }
    #expect(try await near(.user, "adda") == ["ada"])
    #expect(try await near(.user, "ADA") == ["ada"])
    #expect(try await near(.user, "chalres") == ["charles"])
    #expect(try await near(.user, "charl") == ["charles"])
    #expect(try await near(.workout, "w-11") == ["w-10"])
    #expect(try await near(.comment, "c-01") == ["c-10"])
    #expect(try await near(.handle, "contess") == ["countess"])
    #expect(try await near(.user, "zzzzzz") == [])
  }

  @Test("A path's value at any revision equals that of a full replay")
  func slices() async throws {
    let all = Set(Catalogue.standard.kinds)
    #expect(try await slices(of: 260, Self.view(260, seed: 4, isPlausible: true)) == all)
    var kinds: Set<StatePath.Kind> = []
    for seed in UInt64(1)...UInt64(Sweep.size(4, 12, 100)) {
      kinds.formUnion(try await slices(of: 260, Self.view(260, seed: seed)))
    }
    #expect(kinds == all)
  }

  /// Compares at every twentieth revision, or at every 52nd in the short sweep.
  /// - Returns: the kinds of the compared paths.
  private func slices(of count: UInt64, _ view: LogView) async throws -> Set<StatePath.Kind> {
    let past = PastState(view)
    let travel = TimeTravel(view)
    var all: Set<StatePath> = []
    for revision in stride(from: UInt64(0), through: count, by: Sweep.size(52, 20, 20)) {
      let facts = try await past.facts(at: revision)
      all.formUnion(try Self.paths(facts))
      for path in all.sorted(by: { $0.text < $1.text }) {
        let found = try await travel.facts(at: revision, under: path)
        let wanted = facts.filter { path.contains($0.path) }
        #expect(found == wanted, "\(path.text) at \(revision)")
        if found != wanted { return [] }
      }
    }
    return Set(all.map(\.kind))
  }

  @Test("Workouts of one date have one order, independent of earlier events that name them")
  func ties() async throws {
    let log = InMemoryLog()
    let chup = #"{"workout":"walk","user":"eva","big":true}"#
    var lines = [#"{"type":"ChupGiven","actor":"eva","data":\#(chup)}"#]
    for workout in ["run", "walk"] {
      lines.append(
        #"{"type":"WorkoutShared","actor":"ann","data":{"workout":"\#(workout)","owner":"ann","#
          + #""localID":"\#(workout)","date":"2026-02-01T00:00:00Z","workoutType":"erg","#
          + #""totalTime":"10:00.0","totalDistance":1,"averageSplit":"02:00.0","isErgTest":true}}"#)
    }
    for line in lines { try await log.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    let path = try StatePath("workouts/ann")
    let wanted = try #require(Fact(path.text, list: ["walk", "run"]))
    #expect(try WholeState(log.view()).facts[path.text] == wanted.value)
    #expect(try await TimeTravel(log.view()).facts(at: 3, under: path) == [wanted])
    #expect(try await PastState(log.view()).facts(at: 3, under: path) == [wanted])
  }

  @Test(
    "The paths of any handles in an imported log can be read",
    arguments: ["", "\"", "\"\"", "a\"b", "\u{35f}a", "\u{600}", "a\u{600}", "\r\n", "é/.x"])
  func handles(handle: String) async throws {
    let created = JSONValue.object([
      .init("user", .string("ann")), .init("handle", .string(handle)),
      .init("isPublic", .bool(true)),
    ])
    let line = #"{"type":"ProfileCreated","actor":"ann","data":\#(created.text)}"#
    let log = InMemoryLog()
    try await log.append(Commit([try NewEvent(line: Array(line.utf8))]))
    let facts = try await PastState(log.view()).facts(at: 1)
    let fact = try #require(facts.first { $0.path.hasPrefix("handle/") })
    let path = try StatePath(fact.path)
    #expect(path.text == fact.path && path.ids == [handle])
    #expect(try await TimeTravel(log.view()).why(path).value == .string("ann"))
  }

  @Test("As of a thousand revisions each projection is, byte for byte, that of a log cut there")
  func asOf() async throws {
    // All kinds of paths, so that every projection is compared.
    for seed in UInt64(1)...10 {
      let isPlausible = seed % 2 == 0
      let commits = Self.commits(200, seed: 40 + seed, isPlausible: isPlausible)
      let view = try await Self.view(commits)
      let travel = TimeTravel(view)
      var random = SplitMix64(seed: seed)
      // A thousand in all with EVENTLOG_TEST_SWEEP.
      let isSweep = Sweep.chosen != .short
      for _ in 0..<(isSweep ? 100 : 10) {
        let revision = UInt64.random(in: 0...200, using: &random)
        let cut = try await Self.view(Array(commits[..<Int(revision)]))
        let wanted = try WholeState(cut).facts
        let found = try await travel.facts(at: revision)
        #expect(Self.json(found) == Self.json(wanted.map { Fact($0.key, $0.value) }), "\(revision)")
      }
    }
  }

  private static func json(_ facts: [Fact]) -> String {
    JSONValue.object(facts.sorted { $0.path < $1.path }.map { .init($0.path, $0.value) }).text
  }

  @Test(
    "The changes from A to B, applied to the state at A, give the state at B", arguments: [7, 8])
  func changesApply(seed: UInt64) async throws {
    let view = try await Self.view(400, seed: seed)
    let travel = TimeTravel(view)
    var random = SplitMix64(seed: seed)
    for round in 0..<Sweep.size(2, 14, 100) {
      let a = UInt64.random(in: 0...400, using: &random)
      // Near revisions are compared in another way than distant ones.
      let near = min(a + UInt64.random(in: 0...30, using: &random), 400)
      let b = round % 2 == 0 ? near : UInt64.random(in: 0...400, using: &random)
      let (before, after) = (try await travel.facts(at: a), try await travel.facts(at: b))
      let changes = try await travel.changes(from: a, to: b)
      #expect(before.applying(changes) == after, "from \(a) to \(b)")
      #expect(changes.isEmpty == (before == after))
      let back = try await travel.changes(from: b, to: a)
      #expect(back == changes.map { Change($0.path, before: $0.after, after: $0.before) })
      let path = try StatePath("profile/u1")
      #expect(
        try await travel.changes(from: a, to: b, under: path)
          == changes.filter { path.contains($0.path) })
    }
  }

  @Test("An index from a checkpoint, damaged or not, finds the same as a new one")
  func checkpoints() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventlog-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = try FileLog(path: folder.path, creating: true)
    var history = HistoryGenerator(events: 900, users: 30, seed: 3)
    var names = Names()
    let commits = history.commits(900, &names)
    for result in await log.append(Array(commits[..<700])) { _ = try result.get() }
    var index = try await TimeTravel(try LogView(path: folder.path)).open()
    let isSaved = try index.save(try LogView(path: folder.path))
    #expect(isSaved)
    for result in await log.append(Array(commits[700...])) { _ = try result.get() }
    let view = try LogView(path: folder.path)
    let anew = TimeTravel(view, usesCheckpoints: false)
    let paths = try Self.paths(try await anew.facts(at: 900))
    let name = "mentions-0000000000000700.\(index.checkpointFormat()).checkpoint"
    let file = folder.appendingPathComponent("checkpoints/" + name)
    let bytes = [UInt8](try Data(contentsOf: file))
    var random = SplitMix64(seed: 1)
    for round in 0..<Sweep.size(12, 40, 40) {
      var changed = bytes
      if round > 0 {
        for _ in 0..<3 { changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x41 }
      }
      try Data(changed).write(to: file)
      let warm = TimeTravel(view)
      for path in round == 0 ? paths : Array(paths.shuffled(using: &random).prefix(5)) {
        let wanted = try await anew.timeline(of: path)
        let found = try await warm.timeline(of: path)
        #expect(found.steps == wanted.steps, "\(path.text)")
      }
    }
  }

  @Test("Completions are the kinds, the ids of the log, and the members")
  func completions() async throws {
    let travel = TimeTravel(try await Self.view(300, seed: 2))
    #expect(try await travel.completions(of: "follow") == ["followers/", "following/"])
    #expect(try await travel.completions(of: "profile/u") == (1...6).map { "profile/u\($0)" })
    #expect(try await travel.completions(of: "relationship/u1/u2") == ["relationship/u1/u2"])
    #expect(try await travel.completions(of: "relationship/u1").contains("relationship/u1/"))
    #expect(
      try await travel.completions(of: "workout/w1.total")
        == ["totalDistance", "totalTime"]
        .map { "workout/w1." + $0 })
    #expect(try await travel.completions(of: "followers/u1.") == ["followers/u1.count"])
    #expect(try await travel.completions(of: "leaderboard/w") == ["leaderboard/week/"])
    for text in ["nothing/", "x", "profile/u1/", "profile/zz", "profile//"] {
      #expect(try await travel.completions(of: text) == [], "\(text)")
    }
  }

  @Test(
    "A timeline's steps, applied in order, give the state after each event",
    arguments: [(4, false), (6, true)])
  func timelines(seed: Int, isPlausible: Bool) async throws {
    let count = Sweep.size(50, 120, 300)
    let view = try await Self.view(count, seed: UInt64(seed), isPlausible: isPlausible)
    let past = PastState(view)
    let travel = TimeTravel(view)
    let session = TimeTravel(view)
    await session.keepTimelines(from: 10)
    var before: [Fact] = []
    var timelines: [Timeline] = []
    var all: Set<StatePath> = []
    for revision in 0...UInt64(count) {
      all.formUnion(try Self.paths(try await past.facts(at: revision)))
    }
    for path in all { timelines.append(try await travel.timeline(of: path)) }
    for revision in 1...UInt64(count) {
      let after = try await past.facts(at: revision)
      let changes = Change.between(before, after)
      before = after
      for timeline in timelines {
        let wanted = changes.filter { timeline.path.contains($0.path) }
        let step = timeline.steps.first { $0.event.seq == revision }
        Self.compare(step, wanted, "\(timeline.path.text) at \(revision)")
      }
      Self.compare(try await travel.change(by: revision), changes, "event \(revision)")
      Self.compare(try await session.change(by: revision), changes, "event \(revision), kept")
      #expect(try await travel.changes(from: revision - 1, to: revision) == changes)
    }
  }

  /// Checks that a step equals the changes, with lists compared by their items.
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
    }.sorted { $0.path < $1.path }
    #expect(found == lists, "\(`where`)")
    #expect((step?.values ?? []) == wanted.filter { $0.items == nil }, "\(`where`)")
  }
}
