import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// No acknowledged event is lost if the power fails, at any call and with any part of the unsynced
/// bytes on the disk.
@Suite struct PowerLossTests {
  typealias Run = EveryCallFailsTests.Run
  static let path = "/log"

  /// Opens the log, appends, starts new segments, reopens and appends; stops at the first error.
  static func script(_ disk: SimulatedDisk) async -> Run {
    var run = Run()
    for round in 0..<2 {
      if await !run.append(to: path, disk.files, round: round) { break }
    }
    return run
  }

  /// Checks that the log opens with all acknowledged events, in whole commits and in order, and
  /// accepts another event. A damaged log must get all acknowledged events back by a repair.
  /// - Returns: whether it was damaged.
  @discardableResult
  static func check(_ disk: SimulatedDisk, _ run: Run, _ what: String) async -> Bool {
    do {
      do throws(LogError) {
        let found = try await reopened(disk, path, what)
        #expect(found == (0..<found.count).map(String.init), "\(what): not a prefix")
        #expect(found.count >= run.acknowledged, "\(what): \(run.acknowledged) acknowledged")
        #expect(found.count <= run.attempted, "\(what)")
        return false
      } catch .noSuchLog {
        #expect(run.acknowledged == 0, "\(what): the log is gone")
        return false
      } catch .damaged {
        let repair = try await Repair(of: path, into: "/mended", files: disk.files)
        #expect(!repair.isWhole, "\(what)")
        let found = try await reopened(disk, "/mended", what)
        let acknowledged = (0..<run.acknowledged).map(String.init)
        #expect(Array(found.prefix(run.acknowledged)) == acknowledged, "\(what)")
        return true
      }
    } catch {
      Issue.record("\(what): \(error)")
      return false
    }
  }

  /// Opens a log for writing, checks its commits, appends, and returns the numbers of its events.
  private static func reopened(
    _ disk: SimulatedDisk, _ path: String, _ what: String
  ) async throws(LogError) -> [String] {
    let log = try FileLog(path: path, files: disk.files)
    let events = try await log.all()
    let commits = [1, 3, 2, 1, 1, 3, 2, 1]
    var (at, commit) = (0, 0)
    while at < events.count {
      let number = Int(events[at].stream.dropFirst("follow/a/n".count)) ?? -1
      while commits[..<commit].reduce(0, +) < number { commit += 1 }
      let size = commits[commit]
      #expect(events.count >= at + size, "\(what): half a commit")
      at += size
    }
    try await log.append(Commit([.following("b", "c")]))
    let view = try LogView(path: path, files: disk.files)
    #expect(view.tail == .none)
    #expect(try view.verify().head.seq == UInt64(events.count) + 1, "\(what)")
    return events.map { String($0.stream.dropFirst("follow/a/n".count)) }
  }

  private static func total() async -> Int {
    let disk = SimulatedDisk()
    let run = await script(disk)
    #expect(run.error == nil && run.acknowledged == 14)
    #expect(disk.openFiles == 0)
    return disk.calls
  }

  @Test(
    "faults 13, 14, 21: a power failure at any call loses no acknowledged event",
    arguments: SimulatedDisk.Loss.allCases)
  func anyCall(_ loss: SimulatedDisk.Loss) async {
    let total = await Self.total()
    var random = SplitMix64(seed: 21)
    var (losses, damaged) = (0, 0)
    for number in 1...total + 1 {
      for _ in 0..<(loss == .dropped ? 1 : Sweep.size(1, 10, 200)) {
        let disk = SimulatedDisk()
        let part = Double.random(in: 0...1, using: &random)
        disk.begin { _, _, call in call >= number ? .init(code: 5, part: part) : nil }
        let run = await Self.script(disk)
        disk.losePower(loss, &random)
        losses += 1
        let what = "\(loss), power lost at call \(number) of \(total)"
        if await Self.check(disk, run, what) { damaged += 1 }
      }
    }
    // Sectors written in any order can leave holes; only these damage a log.
    #expect(loss == .reordered || damaged == 0)
    Sweep.tally("power failures, what was not synced \(loss)", losses)
    Sweep.tally("of them stopped for damage, and repaired", damaged)
  }

  @Test(
    "faults 13, 14: a kill at any call, a restart and a power failure lose no acknowledged event")
  func killedThenPower() async {
    let total = await Self.total()
    var random = SplitMix64(seed: 13)
    for number in 1...total {
      for loss in SimulatedDisk.Loss.allCases {
        let disk = SimulatedDisk()
        disk.begin { _, _, call in call >= number ? .init(code: 5, part: 1) : nil }
        var run = await Self.script(disk)
        disk.closeAll()
        disk.begin()
        // The next process finds the events of the killed one and reports that they exist.
        do {
          let log = try FileLog(path: Self.path, creating: true, files: disk.files)
          run.acknowledged = Int(await log.head())
          run.attempted = max(run.attempted, run.acknowledged)
        } catch {
          Issue.record("killed at call \(number): \(error)")
        }
        disk.losePower(loss, &random)
        await Self.check(disk, run, "killed at call \(number), then power lost, \(loss)")
        Sweep.tally("processes killed at a call, then power failures", 1)
      }
    }
  }

  @Test("faults 26: an event found on opening is synced before a retry of it is acknowledged")
  func retryAfterKill() async throws {
    let disk = SimulatedDisk()
    let commit = Commit([.following("a", "n0", id: .numbered(1))])
    do {
      let log = try FileLog(path: Self.path, creating: true, files: disk.files)
      // Killed between write and sync.
      disk.begin { call, _, _ in call == "sync" ? .init(code: 5) : nil }
      await #expect(throws: LogError.self) { try await log.append(commit) }
    }
    disk.begin()
    do {
      let log = try FileLog(path: Self.path, files: disk.files)
      try await log.append(commit)
    }
    var random = SplitMix64(seed: 26)
    disk.losePower(.dropped, &random)
    #expect(try LogView(path: Self.path, files: disk.files).verify().head.seq == 1)
  }

  @Test(
    "faults 14: a folder whose creation was interrupted is synced before the first acknowledgement")
  func folderCutShort() async throws {
    let disk = SimulatedDisk()
    disk.begin { call, path, _ in
      call == "syncDirectory" && path == "/" ? .init(code: 5) : nil
    }
    #expect(throws: LogError.self) {
      try FileLog(path: Self.path, creating: true, files: disk.files)
    }
    disk.begin()
    do {
      let log = try FileLog(path: Self.path, creating: true, files: disk.files)
      try await log.append(Commit([.following("a", "n0")]))
    }
    var random = SplitMix64(seed: 14)
    disk.losePower(.dropped, &random)
    #expect(disk.paths.contains(Self.path + "/" + SegmentName.make(1)))
  }

  @Test(
    "faults 15, 16: after a power failure during writing, every named checkpoint is whole",
    arguments: SimulatedDisk.Loss.allCases)
  func checkpoints(_ loss: SimulatedDisk.Loss) async throws {
    var random = SplitMix64(seed: 15)
    var (number, total) = (1, 1)
    while number <= total + 1 {
      let disk = SimulatedDisk()
      _ = await Self.script(disk)
      let files = disk.files
      try CheckpointFailsTests.save(try LogView(path: Self.path, files: files), 7)
      disk.begin { [number] _, _, call in call >= number ? .init(code: 5, part: 0.5) : nil }
      let isSaved =
        (try? CheckpointFailsTests.save(try LogView(path: Self.path, files: files), 14)) != nil
      total = max(total, disk.calls)
      disk.losePower(loss, &random)
      let found = try CheckpointFailsTests.last(try LogView(path: Self.path, files: files))
      #expect(found == 14 || found == 7 && !isSaved, "\(loss) at call \(number)")
      try CheckpointFailsTests.save(try LogView(path: Self.path, files: files), 14)
      #expect(disk.paths.allSatisfy { !$0.hasSuffix(".tmp") }, "\(loss) at call \(number)")
      number += 1
    }
    Sweep.tally("power failures while a checkpoint was written", number - 1)
  }
}
