import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// A rewriting is complete or has not happened, even if any call or the power fails.
@Suite struct ForgettingFailsTests {
  static let path = "/log"
  /// The erased person: named in a segment, a checkpoint, recovered bytes and a bookmark.
  static let person = "quizquiz"

  /// A log of three segments with every other file that a log's folder can have.
  static func disk() async throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let clock = SteppedClock(seed: 23)
    do {
      let log = try FileLog(
        path: path, creating: true, segmentSize: 900, files: disk.files,
        environment: clock.environment)
      try await log.append(Commit([.following("ann", "ben"), .following("ben", "ann")]))
      try await log.append(Commit([.following(person, "ann")]))
      try await log.append(Commit([.following("ann", person), .following("cid", person)]))
      for index in 0..<6 { try await log.append(Commit([.following("ben", "n\(index)")])) }
      try await log.append(Commit([.following("n1", person)]))
      try log.saveCheckpoint()
    }
    try Bookmarks(LogView(path: path, files: disk.files))?.set("before-\(person)", at: 5)
    try disk.files.makeDirectory(path + "/recovered")
    disk[path + "/recovered/1-1.bytes"] = Array("torn \(person)".utf8)
    return disk
  }

  static func forget(_ files: FileSystem) async throws(LogError) {
    let log = try ForgettableLog(
      path: path, files: files, environment: SteppedClock(seed: 99).environment)
    let survey = try log.survey(ForgettingRequest(people: [person]), jobs: 1)
    try await log.rewrite(by: try log.plan(survey, jobs: 1))
  }

  static func lines(_ disk: SimulatedDisk) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try LogView(path: path, files: disk.files).forEachLine { line in
      lines.append(line.bytes)
      return true
    }
    return lines
  }

  /// The log before and after the rewriting, and the number of calls that it makes.
  struct Worlds {
    var old: [[UInt8]]
    var new: [[UInt8]]
    var calls: Int
    private let start: SimulatedDisk

    /// A new disk with the old log.
    var disk: SimulatedDisk { SimulatedDisk(copying: start) }

    init() async throws {
      start = try await ForgettingFailsTests.disk()
      let disk = SimulatedDisk(copying: start)
      old = try ForgettingFailsTests.lines(disk)
      disk.begin()
      try await ForgettingFailsTests.forget(disk.files)
      calls = disk.calls
      new = try ForgettingFailsTests.lines(disk)
    }
  }

  /// Checks that a reader sees the old or the new log, and that opening it for writing keeps it and
  /// deletes the leftovers.
  /// - Returns: whether it is the new one.
  @discardableResult
  static func check(_ disk: SimulatedDisk, _ worlds: Worlds, _ what: String) -> Bool {
    do {
      let seen = try lines(disk)
      #expect(seen == worlds.old || seen == worlds.new, "\(what): a mix")
      do { _ = try FileLog(path: path, files: disk.files) }
      let isNew = seen == worlds.new
      #expect(try lines(disk) == seen, "\(what): another one after opening")
      #expect(try LogView(path: path, files: disk.files).verify().head.seq == 12)
      let left = disk.paths.filter { $0.hasSuffix(".new") || $0.hasSuffix("/rewriting") }
      #expect(left.isEmpty, "\(what): \(left)")
      if isNew {
        let holding = disk.paths.filter {
          String(decoding: disk[$0] ?? [], as: UTF8.self).contains(person)
        }
        #expect(holding.isEmpty, "\(what): \(holding)")
        #expect(disk.paths.contains("/log/rewritings"))
      }
      return isNew
    } catch {
      Issue.record("\(what): \(error)")
      return false
    }
  }

  @Test("Without a failure, every file forgets the person, and bookmarks keep their positions")
  func whole() async throws {
    let worlds = try await Worlds()
    #expect(worlds.old.count == 12 && worlds.new.count == 12)
    #expect(worlds.old[0...1] == worlds.new[0...1])
    let disk = try await Self.disk()
    #expect(disk.paths.contains { $0.hasSuffix(".checkpoint") })
    try await Self.forget(disk.files)
    #expect(Self.check(disk, worlds, "nothing failed"))
    #expect(disk.openFiles == 0)
    let view = try LogView(path: Self.path, files: disk.files)
    let bookmark = try #require(try Bookmarks(view)?.all().first)
    #expect(try view.position(ofBookmark: bookmark.name) == 5)
    let entry = try #require(try view.rewritings().entries.first)
    #expect((entry.first, entry.head) == (3, 12))
    #expect(try entry.after == view.head().sum)
  }

  @Test("If any one call fails, the folder has the old log or the new one")
  func everyCall() async throws {
    let worlds = try await Worlds()
    var done = 0
    for number in stride(from: 1, through: worlds.calls, by: Sweep.size(2, 1, 1)) {
      for goesOn in [false, true] {
        let disk = worlds.disk
        disk.begin { _, _, call in
          call == number || goesOn && call > number ? .init(code: 5, part: 0.5) : nil
        }
        let isDone = (try? await Self.forget(disk.files)) != nil
        #expect(disk.openFiles == 0 || goesOn, "call \(number): a descriptor was left open")
        disk.closeAll()
        disk.begin()
        let isNew = Self.check(disk, worlds, "call \(number) of \(worlds.calls), \(goesOn)")
        #expect(isNew || !isDone, "call \(number): not done, and nobody was told")
        done += isNew ? 1 : 0
      }
    }
    #expect(done > 4 && done < 2 * worlds.calls - 4)
    Sweep.tally("runs with a failing call: forgetting", 2 * worlds.calls)
  }

  @Test(
    "If the power fails at any call, the folder has the old log or the new one",
    arguments: SimulatedDisk.Loss.allCases)
  func power(_ loss: SimulatedDisk.Loss) async throws {
    let worlds = try await Worlds()
    var random = SplitMix64(seed: 17)
    var losses = 0
    for number in stride(from: 1, through: worlds.calls + 1, by: Sweep.size(2, 1, 1)) {
      for _ in 0..<(loss == .dropped ? 1 : Sweep.size(1, 4, 40)) {
        let disk = worlds.disk
        let part = Double.random(in: 0...1, using: &random)
        disk.begin { _, _, call in call >= number ? .init(code: 5, part: part) : nil }
        let isDone = (try? await Self.forget(disk.files)) != nil
        disk.losePower(loss, &random)
        disk.begin()
        let isNew = Self.check(disk, worlds, "\(loss), power lost at call \(number)")
        #expect(isNew || !isDone, "\(loss), call \(number): what was done is gone")
        losses += 1
      }
    }
    Sweep.tally("power failures while a log forgot, what was not synced \(loss)", losses)
  }

  @Test("Two kills, during a rewriting and its recovery, do not change which log remains")
  func twice() async throws {
    let worlds = try await Worlds()
    for number in stride(from: 1, through: worlds.calls, by: 2) {
      let disk = worlds.disk
      disk.begin { _, _, call in call >= number ? .init(code: 5, part: 1) : nil }
      _ = try? await Self.forget(disk.files)
      disk.closeAll()
      disk.begin()
      let first = try Self.lines(disk)
      for again in 1...12 {
        disk.begin { _, _, call in call >= again * 2 ? .init(code: 5) : nil }
        try? ForgettableLog.settle(Self.path, files: disk.files)
        disk.closeAll()
        disk.begin()
        #expect(try Self.lines(disk) == first, "call \(number), then \(again)")
      }
      Self.check(disk, worlds, "call \(number), then killed while settling")
    }
  }

  @Test("A reader of the old log must open it again, and then finds the new one")
  func readers() async throws {
    let folder = ScratchFolder()
    do {
      let log = try FileLog(
        path: folder.log, creating: true, files: .unsynced,
        environment: SteppedClock().environment)
      try await log.append(Commit([.following("ann", Self.person), .following("ann", "ben")]))
    }
    let view = try LogView(path: folder.log)
    let reader = try ReadOnlyLog(view)
    #expect(try await reader.head() == 2)
    let forgettable = try ForgettableLog(path: folder.log, files: .unsynced)
    let survey = try forgettable.survey(ForgettingRequest(people: [Self.person]))
    try await forgettable.rewrite(by: try forgettable.plan(survey))
    #expect(throws: LogError.rewritten(path: folder.log)) {
      try view.forEachLine { _ in true }
    }
    await #expect(throws: LogError.rewritten(path: folder.log)) { try await reader.head() }
    let anew = try await ReadOnlyLog(LogView(path: folder.log)).all()
    #expect(anew.map(\.seq) == [1, 2])
    #expect(anew[1].stream == "follow/ann/ben")
    #expect(anew[0].stream.hasPrefix("follow/ann/gone_"))
  }

  @Test("Nothing is erased while a writer is open; a state of the old log leaves no checkpoint")
  func others() async throws {
    let folder = ScratchFolder()
    do {
      let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
      try await log.append(Commit([.following("ann", Self.person), .following("ann", "ben")]))
      #expect {
        try ForgettableLog(path: folder.log)
      } throws: { error in
        if case LogError.locked? = error as? LogError { true } else { false }
      }
      log.close()
      let result = await log.append([Commit([.following("ben", "ann")])])
      #expect((try? result[0].get()) == nil)
    }
    let old = try LogView(path: folder.log)
    do {
      let forgettable = try ForgettableLog(path: folder.log, files: .unsynced)
      let survey = try forgettable.survey(ForgettingRequest(people: [Self.person]))
      #expect(survey.people.map(\.events) == [1])
      try await forgettable.rewrite(by: try forgettable.plan(survey))
    }
    let checkpoints = try #require(old.checkpoints)
    let written = try checkpoints.write(
      "late", head: LogHead(seq: 2, time: .epoch, sum: 1), skipped: [:]
    ) { coder in coder.part("late", version: 1) { _ in } }
    #expect(written == nil)
    #expect(folder.names("log/checkpoints") == [])
  }
}
