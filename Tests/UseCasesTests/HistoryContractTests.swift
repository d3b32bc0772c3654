import Aggregates
import Events
import FaultTesting
import Foundation
import HistoryGeneration
import Projections
import Testing
import UseCases

/// The behaviour of every history, compared with the log on disk.
@Suite struct HistoryContractTests {
  /// The same events on disk, in memory, and in a store that uses only the public interface.
  private final class Stores {
    let folder = NSTemporaryDirectory() + "eventlog-history-" + UUID().uuidString
    let disk: LogView
    let memory: RecordedHistory
    let table: RowHistory

    init(_ count: Int = 240) async throws {
      let commits = HistoryContractTests.commits(count)
      let file = try FileLog(path: folder, creating: true, segmentSize: 20_000)
      disk = try await Self.fill(file, commits)
      memory = try await Self.fill(InMemoryLog(), commits)
      table = try await Self.fill(RowStore(), commits)
      #expect(disk.segmentCount > 2)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func fill<S: EventStore>(
      _ store: S, _ commits: [Commit]
    ) async throws -> S.Snapshot {
      for result in await store.append(commits) { _ = try result.get() }
      return try await store.history()
    }
  }

  /// Commits of one event, and occasionally of three.
  private static func commits(_ count: Int) -> [Commit] {
    var history = HistoryGenerator(events: count, users: 12, seed: 4)
    var names = Names()
    let events = (0..<count).map { number in
      let (event, actor, time) = history.next(&names)
      let id = EventID(time: time, random: (UInt64(number), UInt64(number) << 2))
      return NewEvent(event, actor: names[actor], id: id, time: time, names: names)
    }
    var commits: [Commit] = []
    for (number, event) in events.enumerated() {
      if number % 10 == 7 || number % 10 == 8, !commits.isEmpty {
        commits[commits.count - 1].events.append(event)
      } else {
        commits.append(Commit([event]))
      }
    }
    return commits
  }

  private func lines(
    _ history: some History, after: UInt64 = 0, until: UInt64 = .max
  ) throws -> [SealedLine] {
    var lines: [SealedLine] = []
    try history.forEachLine(after: after, until: until) { line in
      lines.append(line)
      return true
    }
    return lines
  }

  private func bytes<H: History>(_ history: H) throws -> [UInt8] {
    try history.chunks(after: 0, until: .max).flatMap { chunk in
      try history.read(chunk).withBytes { Array($0) }
    }
  }

  @Test("Head, lines, bytes and the events at a position or time are those on disk")
  func reading() async throws {
    func check(_ history: some History, _ disk: LogView) throws {
      let head = try disk.head().seq
      #expect(try history.head() == disk.head())
      #expect(try bytes(history) == bytes(disk), "\(history.name)")
      for (after, until) in [(0, .max), (0, 1), (7, 8), (17, 99), (head, .max), (9, 9), (239, 400)]
        as [(UInt64, UInt64)]
      {
        let wanted = try lines(disk, after: after, until: until)
        #expect(try lines(history, after: after, until: until) == wanted, "\(after)..\(until)")
      }
      for position in 0...head + 1 {
        let line = try disk.line(at: position)
        #expect(try history.line(at: position) == line, "\(position)")
        guard let time = line?.event.time else { continue }
        for time in [time, Timestamp(milliseconds: time.milliseconds - 1)] {
          #expect(try history.position(at: time) == disk.position(at: time), "\(time)")
        }
      }
      #expect(try history.position(at: .earliest) == 0 && history.position(at: .latest) == head)
      let id = try #require(try disk.line(at: 33)?.event.id)
      for text in ["0", "12", "HEAD", "HEAD~9", "50%", "\(id)"] {
        let revision = try #require(Revision(text))
        #expect(try revision.resolve(in: history) == revision.resolve(in: disk), "\(text)")
      }
      #expect(throws: LogError.noSuchRevision(.noSuchBookmark("x", known: []))) {
        try #require(Revision("x")).resolve(in: history)
      }
    }
    let stores = try await Stores()
    try check(stores.disk, stores.disk)
    try check(stores.memory, stores.disk)
    try check(stores.table, stores.disk)
  }

  /// The typed events, as texts.
  private func typed(_ history: some History, after: UInt64, until: UInt64) throws -> [String] {
    var (names, found) = (Names(), [(Event, EventActor, Moment)]())
    let last = try history.forEachTypedEvent(after: after, until: until, &names) {
      event, actor, moment in found.append((copy event, actor, moment))
    }
    return found.map { "\($2.seq) \($2.time) \(names[$1]) \($0.data(names))" } + [
      "\(last.map { "\($0.seq) \($0.time)" } ?? "none")"
    ]
  }

  private func known(_ history: some History, at positions: [UInt64]) throws -> [String] {
    var (names, found) = (Names(), [KnownEvent]())
    try history.forEachEvent(at: positions, &names) { found.append($0) }
    return found.map { "\($0.moment.seq) \(names[$0.actor]) \($0.id) \($0.event.data(names))" }
  }

  @Test("Typed events, in sequence or at some positions, are those on disk")
  func events() async throws {
    func check(_ history: some History, _ disk: LogView) throws {
      for (after, until) in [(0, .max), (0, 1), (17, 99), (240, .max), (238, 500)]
        as [(UInt64, UInt64)]
      {
        let wanted = try typed(disk, after: after, until: until)
        #expect(try typed(history, after: after, until: until) == wanted, "\(after)..\(until)")
      }
      for positions in [[1], [1, 2, 3], [5, 17, 18, 120, 240, 241, 900], []] as [[UInt64]] {
        #expect(try known(history, at: positions) == known(disk, at: positions))
      }
    }
    let stores = try await Stores()
    try check(stores.disk, stores.disk)
    try check(stores.memory, stores.disk)
    try check(stores.table, stores.disk)
  }

  @Test("Replays, time travel and the debugger answer as from disk")
  func travelling() async throws {
    func facts(_ history: some History, until: UInt64) async throws -> [Fact] {
      var replay = Replay<FollowerRanking>()
      try await replay.run(history, until: until)
      return replay.projection.facts(replay.names).sorted { $0.path < $1.path }
    }
    func stops(_ history: some History, at user: String) async throws -> [UInt64] {
      var debugger = try await Debugger(TimeTravel(history))
      try await debugger.add(.actor(user))
      var stops: [UInt64] = []
      while try debugger.go(.back, isInterrupted: { false }) != .end {
        stops.append(debugger.position)
      }
      return stops
    }
    func check(_ history: some History, _ disk: LogView) async throws {
      let (travel, wanted) = (TimeTravel(history), TimeTravel(disk))
      let all = try await wanted.facts(at: .max)
      for position in [1, 57, 200, .max] as [UInt64] {
        #expect(try await facts(history, until: position) == facts(disk, until: position))
        #expect(try await travel.facts(at: position) == wanted.facts(at: position))
      }
      for fact in all.prefix(400) where fact.path.hasSuffix("count") {
        let path = try StatePath(fact.path)
        let steps = try await wanted.timeline(of: path).steps
        #expect(try await travel.timeline(of: path).steps == steps)
        #expect(try await travel.why(path) == wanted.why(path), "\(path.text)")
      }
      for position in stride(from: UInt64(1), through: 241, by: 8) {
        #expect(try await travel.change(by: position) == wanted.change(by: position))
      }
      #expect(try await travel.changes(from: 3, to: 220) == wanted.changes(from: 3, to: 220))
      let actor = try #require(try disk.line(at: 9)?.event.actor)
      let visited = try await stops(history, at: actor)
      #expect(try await visited == stops(disk, at: actor) && visited.count > 1)
      let comparison = try await Comparison(FollowerRanking.self, history, until: 200)
      #expect(comparison.differences == [] && comparison.count > 10)
    }
    let stores = try await Stores()
    try await check(stores.memory, stores.disk)
    try await check(stores.table, stores.disk)
  }

  @Test("Check, what-if and the search for a smaller history give the results from disk")
  func judging() async throws {
    func check(_ history: some History, _ disk: LogView) throws {
      let (found, wanted) = (try Check(history), try Check(disk))
      #expect(found.count == wanted.count && found.findings == wanted.findings)
      #expect(found.brokenInvariant == nil)
      var whatIf = WhatIf()
      whatIf.skipped = [1, 9, 40]
      whatIf.moved = [50: 60]
      let outcome = try whatIf.run(history, comparing: true)
      let other = try whatIf.run(disk, comparing: true)
      #expect(outcome.changes == other.changes && outcome.refusals == other.refusals)
      #expect(!outcome.changes.isEmpty && outcome.count == other.count)
      #expect(
        try HistoryShrinker(history).smallest.commits == HistoryShrinker(disk).smallest.commits)
    }
    let stores = try await Stores()
    try check(stores.memory, stores.disk)
    try check(stores.table, stores.disk)
  }

  @Test("A history with a place for checkpoints uses its own, and not another's")
  func checkpoints() async throws {
    let stores = try await Stores()
    var table = stores.table
    var whole = Replay<FollowerRanking>()
    try await whole.run(table)
    #expect(try !whole.save(table), "there is no place for it")
    table.checkpoints = Checkpoints(folder: stores.folder + "/checkpoints-of-the-table")
    #expect(try whole.save(table))
    var again = Replay<FollowerRanking>()
    #expect(again.restore(table) == [] && again.head == whole.head)
    #expect(again.projection.facts(again.names) == whole.projection.facts(whole.names))
    table.rows.removeLast()
    var shorter = Replay<FollowerRanking>()
    let ignored = shorter.restore(table)
    #expect(ignored.map(\.fault) == [CheckpointFault.ahead(position: 240, head: 239)])
    #expect(shorter.head.seq == 0)
  }

  @Test("Every way of reading reports a changed, lost or doubled row as damage at its position")
  func damage() async throws {
    func place(_ body: () async throws -> Void) async -> (UInt64, String)? {
      do { try await body() } catch LogError.damaged(let damage) {
        return (damage.seq, damage.file)
      } catch { Issue.record(error) }
      return nil
    }
    let stores = try await Stores()
    func check(
      _ seq: UInt64, keepsPlaces: Bool = true, _ change: (inout [RowHistory.Row]) -> Void
    ) async throws {
      var broken = stores.table
      change(&broken.rows)
      let table = broken
      let replayed = await place {
        var replay = Replay<FollowerRanking>()
        try await replay.run(table)
      }
      #expect(replayed?.0 == seq && replayed?.1 == "table://rows", "seq \(seq)")
      let strict = await place { try table.forEachEvent { _ in true } }
      #expect(strict?.0 == seq, "seq \(seq)")
      // A reader that starts with the head finds the moved last row first.
      if keepsPlaces { #expect(await place { _ = try Check(table) }?.0 == seq) }
      #expect(await place { _ = try table.line(at: seq) }?.0 == seq)
      var names = Names()
      let known = await place { try table.forEachEvent(at: [seq], &names) { _ in } }
      #expect(known?.0 == seq)
    }
    for seq in [1, 2, 8, 100, 200] {
      try await check(UInt64(seq)) { $0[seq - 1].line[9] ^= 1 }
      try await check(UInt64(seq)) { $0[seq - 1].line = Array("{}".utf8) }
      try await check(UInt64(seq), keepsPlaces: false) { $0.remove(at: seq - 1) }
      try await check(UInt64(seq) + 1, keepsPlaces: false) { $0.insert($0[seq - 1], at: seq) }
    }
  }

  @Test("A core over a foreign store answers, and reads another core's events")
  func core() async throws {
    let store = RowStore()
    let (one, other) = (try await Core(store), try await Core(store))
    _ = try await CreateProfile(one).execute(.init(user: "alice", handle: "alice"), as: "alice")
    _ = try await CreateProfile(one).execute(.init(user: "bob", handle: "bob"), as: "bob")
    _ = try await FollowUser(other).execute(.init(followee: "bob"), as: "alice")
    try await one.catchUp()
    #expect(one.position == 3 && other.position == 3)
    #expect(try await GetProfile(one).execute(.init(handle: "bob"), as: nil).row.user == "bob")
    #expect(try Check(store.history()).findings == [])
  }
}
