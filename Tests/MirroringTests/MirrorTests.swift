import Aggregates
import Events
import FaultTesting
import Foundation
import HistoryGeneration
import Synchronization
import Tables
import Testing
import UseCases

@testable import EventLog
@testable import Mirroring

/// A log in a temporary folder that grows by generated events.
final class GrowingLog {
  let path = NSTemporaryDirectory() + "eventlog-mirror-" + UUID().uuidString
  private var generator: HistoryGenerator
  private var names = Names()

  init(seed: UInt64) { generator = HistoryGenerator(events: 2_000, users: 40, seed: seed) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func grow(_ count: Int) async throws {
    let log = try FileLog(path: path, creating: true)
    for result in await log.append(generator.commits(count, &names)) { _ = try result.get() }
    log.close()
  }

  var view: LogView { get throws { try LogView(path: path) } }
}

/// The engine of `eventlog mirror`, with a database in memory.
@Suite struct MirrorTests {
  static let statements: @Sendable ([TableSchema]) -> [String] = { schemas in
    schemas.map { "\($0)" }
  }

  /// Returns quick options with batches of a few events.
  private static func options(batch: Int = 17, history: Bool? = nil) -> MirrorOptions {
    var options = MirrorOptions()
    (options.batchSize, options.hasHistory) = (batch, history)
    options.longestPause = .milliseconds(1)
    return options
  }

  private func mirror(
    _ log: GrowingLog, _ connection: MemoryMirror, _ options: MirrorOptions = options(),
    says: @escaping (String) -> Void = { _ in }
  ) -> Mirror {
    let path = log.path
    return Mirror(connection, options, statements: Self.statements, says: says) {
      () throws(LogError) in try LogView(path: path)
    }
  }

  /// Returns the differences between the database and the log.
  private func differences(
    _ log: GrowingLog, _ connection: MemoryMirror
  ) async throws -> [MirrorDifference] {
    var found: [MirrorDifference] = []
    let path = log.path
    let check = try await MirrorCheck(
      connection, statements: Self.statements,
      of: { () throws(LogError) in try LogView(path: path) }, found: { found.append($0) })
    #expect(check.differences == found.count)
    #expect(try check.state.position == log.view.head().seq)
    #expect(connection.broken == [])
    return found
  }

  @Test("A mirror that catches up in batches equals one that is built at once")
  func catchesUp() async throws {
    for (seed, history) in [(1, false), (2, true), (3, true)] as [(UInt64, Bool)] {
      let log = GrowingLog(seed: seed)
      let database = MemoryDatabase()
      var random = SplitMix64(seed: seed)
      for round in 0..<8 {
        // A few events need no build; at first there are none.
        let count = round == 0 ? 0 : Int(random.next() % 60) + 1
        try await log.grow(count)
        let connection = MemoryMirror(database)
        let batch = Int(random.next() % 30) + 1
        let report = try await mirror(log, connection, Self.options(batch: batch, history: history))
          .run()
        // Without a history, a build is faster if many events are missing.
        let isWhole = report.reason == "many events were missing" && !history
        let expected = isWhole ? report.position : UInt64(count)
        #expect(report.events == expected, "\(report)")
        #expect(try await differences(log, connection) == [], "seed \(seed), round \(round)")
      }
      if history { #expect(database.builds == 1 && database.writes > 8) }
      let built = MemoryDatabase()
      _ = try await mirror(log, MemoryMirror(built), Self.options(history: history)).run()
      #expect(built.tables == database.tables && built.state == database.state)
    }
  }

  private static let interruptions: [MemoryMirror.Trouble] = [
    .unreachable, .lostBefore, .lostAfter,
  ]

  @Test("A lost answer is found out, so that no event is reflected twice or not at all")
  func lostAnswers() async throws {
    for seed in 1...UInt64(Sweep.size(3, 20, 200)) {
      let log = GrowingLog(seed: seed)
      let database = MemoryDatabase()
      var random = SplitMix64(seed: seed)
      var notes = 0
      for _ in 0..<4 {
        try await log.grow(50)
        let connection = MemoryMirror(database)
        connection.trouble = { call in
          let drawn = random.next() % 6
          return call == .read || drawn > 2 ? nil : Self.interruptions[Int(drawn)]
        }
        _ = try await mirror(
          log, connection, Self.options(batch: 7, history: seed.isMultiple(of: 2)),
          says: { _ in notes += 1 }
        ).run()
        connection.trouble = { _ in nil }
        #expect(try await differences(log, connection) == [], "seed \(seed)")
      }
      #expect(notes > 0)
    }
  }

  @Test("A write whose answer is lost is not repeated, and its events count")
  func lostConfirmation() async throws {
    let (log, database) = (GrowingLog(seed: 9), MemoryDatabase())
    try await log.grow(30)
    _ = try await mirror(log, MemoryMirror(database), Self.options(history: true)).run()
    try await log.grow(40)
    let connection = MemoryMirror(database)
    var calls = 0
    connection.trouble = { call in
      if call == .write { calls += 1 }
      return call == .write && !calls.isMultiple(of: 2) ? .lostAfter : nil
    }
    let report = try await mirror(log, connection, Self.options(batch: 10, history: true)).run()
    #expect(report.events == 40 && report.position == 70 && report.reason == nil, "\(report)")
    #expect(calls == 4 && database.writes == 4)
    #expect(try await differences(log, connection) == [])
  }

  @Test("Two processes may write to one mirror")
  func anotherWriter() async throws {
    let log = GrowingLog(seed: 4)
    let database = MemoryDatabase()
    try await log.grow(30)
    _ = try await mirror(log, MemoryMirror(database), Self.options(history: true)).run()
    try await log.grow(100)
    // The tables as the other process leaves them at three positions.
    let other = MemoryMirror(MemoryDatabase(copying: database))
    var written: [MemoryDatabase] = []
    for position in [43, 56, 69] as [UInt64] {
      var options = Self.options(batch: 5, history: true)
      options.jobs = 1
      let path = log.path
      let mirror = Mirror(other, options, statements: Self.statements) { () throws(LogError) in
        try LogView(path: path).prefix(through: position)
      }
      _ = try await mirror.run()
      written.append(MemoryDatabase(copying: other.database))
    }
    // The other process writes the same events just before this process does.
    let connection = MemoryMirror(database)
    connection.beforeWrite = {
      if !written.isEmpty { database.take(written.removeFirst()) }
    }
    _ = try await mirror(log, connection, Self.options(batch: 10, history: true)).run()
    #expect(written.isEmpty && database.builds == 1)
    #expect(try await differences(log, connection) == [])
  }

  @Test("After a forgetting the mirror is built again, and the erased names are gone")
  func forgetting() async throws {
    for history in [false, true] {
      let log = GrowingLog(seed: 5)
      let connection = MemoryMirror(MemoryDatabase())
      try await log.grow(300)
      _ = try await mirror(log, connection, Self.options(history: history)).run()
      let user = try #require(
        connection.database.tables["profiles"]?.rows.values.compactMap { $0[0].plainText }.sorted()
          .first)
      #expect(connection.database.texts.contains(user))
      let forgetting = try Forgetting(
        path: log.path, photos: PhotoFolder(log.path + "/photos", baseURL: "/"))
      _ = try await forgetting.forget(ForgettingRequest(people: [user]))
      let report = try await mirror(log, connection).run()
      #expect(report.reason == "the log was rewritten")
      #expect(!connection.database.texts.contains(user))
      #expect(connection.database.state?.hasHistory == history)
      #expect(try await differences(log, connection) == [])
      // A mirror of another log has fewer rewritings, too.
      let (other, others) = (GrowingLog(seed: 9), MemoryMirror(MemoryDatabase()))
      try await other.grow(100)
      _ = try await mirror(other, others).run()
      await #expect(throws: MirrorFault.self) { _ = try await mirror(log, others).run() }
    }
  }

  @Test("After a repair that lost events the mirror is built again")
  func repair() async throws {
    let log = GrowingLog(seed: 5)
    let connection = MemoryMirror(MemoryDatabase())
    try await log.grow(300)
    _ = try await mirror(log, connection).run()
    let segment = log.path + "/0000000000000001.jsonl"
    var lines = try String(contentsOfFile: segment, encoding: .utf8).split(separator: "\n")
    lines.remove(at: 250)
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: segment, atomically: true, encoding: .utf8)
    let new = log.path + "-new"
    defer { try? FileManager.default.removeItem(atPath: new) }
    #expect(try await Repair(of: log.path, into: new).kept < 300)
    let mended = Mirror(connection, Self.options(), statements: Self.statements) {
      () throws(LogError) in try LogView(path: new)
    }
    #expect(try await mended.run().reason == "the log was rewritten")
  }

  @Test("Changed rules lead to a new build")
  func rules() async throws {
    let log = GrowingLog(seed: 6)
    let connection = MemoryMirror(MemoryDatabase())
    try await log.grow(200)
    _ = try await mirror(log, connection).run()
    let file = try FileLog(path: log.path)
    try await file.record(rules: Rules.erg.json)
    file.close()
    #expect(try await mirror(log, connection).run().reason == "the log's rules changed")
    #expect(try await differences(log, connection) == [])
  }

  @Test("Chosen tables come with those they refer to, and stay chosen until a rebuild")
  func tables() async throws {
    let log = GrowingLog(seed: 7)
    let connection = MemoryMirror(MemoryDatabase())
    try await log.grow(100)
    var options = Self.options(history: true)
    options.tables = ["chups"]
    _ = try await mirror(log, connection, options).run()
    let names = Set(["chups", "workouts", "profiles"])
    #expect(Set(connection.database.tables.keys) == names.union(names.map { "\($0)_history" }))
    try await log.grow(10)
    _ = try await mirror(log, connection).run()
    #expect(connection.database.builds == 1)
    #expect(try await differences(log, connection) == [])
    options = Self.options()
    options.rebuilds = true
    #expect(try await mirror(log, connection, options).run().reason == "--rebuild")
    #expect(connection.database.tables.count == TableState.schemas.count)
    options = Self.options()
    options.tables = ["chup"]
    await #expect(throws: MirrorFault.refused("there is no table 'chup'")) {
      _ = try await mirror(log, connection, options).run()
    }
  }

  @Test("A mirror of another log is refused until it is replaced")
  func otherLog() async throws {
    let (log, other) = (GrowingLog(seed: 8), GrowingLog(seed: 9))
    let connection = MemoryMirror(MemoryDatabase())
    try await log.grow(100)
    try await other.grow(120)
    _ = try await mirror(log, connection).run()
    let refusal = await #expect(throws: MirrorFault.self) {
      _ = try await mirror(other, connection).run()
    }
    let text = "\(String(describing: refusal))"
    #expect(text.contains("has another event 100") && text.contains("--rebuild"), "\(text)")
    var options = Self.options()
    options.rebuilds = true
    _ = try await mirror(other, connection, options).run()
    #expect(try await differences(other, connection) == [])
    // The log now ends before the mirror's position.
    let fault = await #expect(throws: MirrorFault.self) {
      _ = try await mirror(log, connection).run()
    }
    #expect("\(String(describing: fault))".contains("ends at event 100"))
  }

  @Test("A database that cannot be reached is an error after the patience, with one note")
  func unreachable() async throws {
    let log = GrowingLog(seed: 10)
    try await log.grow(10)
    let connection = MemoryMirror(MemoryDatabase())
    connection.trouble = { _ in .unreachable }
    var options = Self.options()
    options.patience = .milliseconds(20)
    var notes: [String] = []
    await #expect(throws: MirrorFault.unreachable("no route")) {
      _ = try await mirror(log, connection, options, says: { notes.append($0) }).run()
    }
    #expect(notes == ["memory: no route; retrying"])
  }

  @Test("Reads that succeed do not end a series of failed writes", arguments: [false, true])
  func failingWrites(isFull: Bool) async throws {
    let log = GrowingLog(seed: 13)
    try await log.grow(10)
    for hasMirror in [false, true] {
      let connection = MemoryMirror(MemoryDatabase())
      if hasMirror {
        _ = try await mirror(log, connection, Self.options(history: true)).run()
        try await log.grow(10)
      }
      connection.trouble = { call in
        call == .state ? nil : isFull ? .full : .unreachable
      }
      var options = Self.options()
      options.patience = .milliseconds(20)
      var notes: [String] = []
      await #expect(throws: isFull ? MirrorFault.full("no space") : .unreachable("no route")) {
        _ = try await mirror(log, connection, options, says: { notes.append($0) }).run()
      }
      #expect(notes == (isFull ? [] : ["memory: no route; retrying"]))
    }
  }

  @Test("On a full disk, a mirror that follows a log waits longer each time, and says so once")
  func followsOnFullDisk() async throws {
    let log = GrowingLog(seed: 14)
    try await log.grow(50)
    let connection = Unchecked(MemoryMirror(MemoryDatabase()))
    let path = log.path
    let attempts = Box<[ContinuousClock.Instant]>([])
    let notes = Box<[String]>([])
    let work = Task { () async throws(any Error) -> MirrorReport in
      var options = Self.options()
      (options.follows, options.patience) = (true, .zero)
      connection.value.trouble = { call in
        guard call == .build else { return nil }
        return attempts.value.withLock {
          $0.append(.now)
          return $0.count < 5 ? .full : nil
        }
      }
      let mirror = Mirror(
        connection.value, options, statements: Self.statements,
        says: { note in notes.value.withLock { $0.append(note) } }
      ) { () throws(LogError) in try LogView(path: path) }
      return try await mirror.run()
    }
    for _ in 0..<1_000 where attempts.value.withLock({ $0.count }) < 5 {
      try await Task.sleep(for: .milliseconds(10))
    }
    work.cancel()
    #expect(try await work.value.position == 50)
    let times = attempts.value.withLock { $0 }
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    for (pause, shortest) in zip(pauses, [50, 100, 200, 400]) {
      #expect(pause >= .milliseconds(shortest), "\(pauses)")
    }
    #expect(pauses.count == 4)
    #expect(notes.value.withLock { $0 } == ["memory: no space; retrying"])
  }

  @Test("A mirror that follows a log writes later events, and ends when its task is cancelled")
  func follows() async throws {
    let log = GrowingLog(seed: 11)
    try await log.grow(50)
    let connection = Unchecked(MemoryMirror(MemoryDatabase()))
    let path = log.path
    let reached = Box<UInt64>(0)
    let work = Task { () async throws(any Error) -> MirrorReport in
      var options = Self.options()
      (options.follows, options.patience) = (true, .zero)
      var failures = 3
      connection.value.trouble = { call in
        guard call == .write, failures > 0 else { return nil }
        failures -= 1
        return .lostAfter
      }
      let mirror = Mirror(
        connection.value, options, statements: Self.statements,
        progress: { _, done, _ in reached.value.withLock { $0 = max($0, UInt64(done)) } }
      ) { () throws(LogError) in try LogView(path: path) }
      return try await mirror.run()
    }
    for size in [60, 61, 75] {
      try await log.grow(size - Int(try log.view.head().seq))
      for _ in 0..<1_000 where reached.value.withLock({ $0 }) < UInt64(size) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(reached.value.withLock { $0 } >= UInt64(size))
    }
    work.cancel()
    #expect(try await work.value.position == 75)
    connection.value.trouble = { _ in nil }
    #expect(try await differences(log, connection.value) == [])
  }

  @Test("A check names each table, key and column that differs, with both values")
  func check() async throws {
    let log = GrowingLog(seed: 12)
    try await log.grow(300)
    let connection = MemoryMirror(MemoryDatabase())
    _ = try await mirror(log, connection, Self.options(history: true)).run()
    let database = connection.database
    let schema = try #require(TableState.schemas.first { $0.name == "profiles" })
    let keys = try #require(database.tables["profiles"]?.rows.keys.sorted())
    let row = try #require(database.tables["profiles"]?.rows[keys[0]])
    database.tables["profiles"]?.rows[keys[0]]?[1] = .text("changed")
    database.tables["profiles"]?.rows[keys[1]] = nil
    var extra = row
    extra[schema.key[0]] = .text("nobody")
    database.tables["profiles"]?.rows["nobody"] = extra
    let follows = try #require(database.tables["follows"]?.rows.keys.sorted())
    let id = try #require(database.tables["follows"]?.rows[follows[0]]?[0].plainText)
    #expect(id != id.uppercased())
    database.tables["follows"]?.rows[follows[0]]?[0] = .text(id.uppercased())
    let versions = try #require(database.tables["follows_history"]?.rows.keys.sorted())
    database.tables["follows_history"]?.rows[versions[0]] = nil
    let found = try await differences(log, connection)
    #expect(found.count == 5)
    #expect(
      found.contains {
        guard case .value(let column, .text(id.uppercased()), .text(id)) = $0.kind else {
          return false
        }
        return column.name == "id"
      })
    #expect(
      found.contains(
        MirrorDifference(
          table: "profiles", key: [.text(keys[0])],
          kind: .value(column: schema.columns[1], mirrored: .text("changed"), logged: row[1])
        )))
    let missing = MirrorDifference(table: "profiles", key: [.text(keys[1])], kind: .missing)
    #expect(found.contains(missing))
    #expect(
      found.contains(
        MirrorDifference(table: "profiles", key: [.text("nobody")], kind: .extra)))
    #expect(found.contains { $0.table == "follows_history" && $0.kind == .missing })
  }
}

/// A value that only one task at a time uses.
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

private final class Box<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}
