import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// A clone copies a rewriting while system calls fail; it is the old log or the new one.
@Suite struct ReplicationFailsTests {
  /// A shared log that was rewritten, and a clone from before.
  private struct World {
    let remote: FolderRemote
    let shared: SimulatedDisk
    var old: [[UInt8]] = []
    var new: [[UInt8]] = []
    var files: [String: [UInt8]] = [:]

    init() async throws {
      let disk = SimulatedDisk()
      shared = disk
      let environment = SteppedClock().environment
      do {
        let log = try FileLog(
          path: "/shared", creating: true, segmentSize: 700, files: disk.files,
          environment: environment)
        for number in 0..<6 {
          try await log.append(
            Commit([.following("ann", "n\(number)"), .following("zoe_zzz", "n\(number)")]))
        }
      }
      remote = try FolderRemote(path: "/shared", files: disk.files)
      do {
        _ = try await FileLog.clone(
          remote, address: "/shared", to: "/log", segmentSize: 900, files: disk.files,
          environment: environment)
      }
      old = try Self.lines(disk)
      for path in disk.paths where path.hasPrefix("/log/") { files[path] = disk[path] }
      let log = try ForgettableLog(path: "/shared", files: disk.files, environment: environment)
      let survey = try log.survey(ForgettingRequest(people: ["zoe_zzz"]), jobs: 1)
      try await log.rewrite(by: try log.plan(survey, jobs: 1))
      let copy = try clone()
      try await RewritingReplication(folder: "/log", files: copy.files).perform(from: remote)
      new = try Self.lines(copy)
    }

    func clone() throws -> SimulatedDisk {
      let disk = SimulatedDisk()
      try disk.files.makeDirectory("/log")
      try disk.files.syncDirectory("/")
      for (path, bytes) in files { disk[path] = bytes }
      return disk
    }

    static func lines(_ disk: SimulatedDisk) throws -> [[UInt8]] {
      var lines: [[UInt8]] = []
      try LogView(path: "/log", files: disk.files).forEachLine { line in
        lines.append(line.bytes)
        return true
      }
      return lines
    }

    /// Checks that the clone is the old or the new log, and that the next try makes it the new one.
    func check(_ disk: SimulatedDisk, isDone: Bool, _ what: String) async throws {
      let seen = try Self.lines(disk)
      #expect(seen == old || seen == new, "\(what): a mix")
      #expect(!isDone || seen == new, "\(what): not done, and nobody was told")
      try await RewritingReplication(folder: "/log", files: disk.files).perform(from: remote)
      #expect(try Self.lines(disk) == new, "\(what): not finished")
      #expect(try LogView(path: "/log", files: disk.files).rewritings().entries.count == 1)
      let left = disk.paths.filter { $0.hasSuffix(".new") || $0.hasSuffix("/rewriting") }
      #expect(left.isEmpty, "\(what): \(left)")
    }
  }

  @Test("If any one call fails, the clone is the old or the new log, and the next try finishes it")
  func everyCall() async throws {
    let world = try await World()
    #expect(world.old.count == 12 && world.new.count == 12 && world.old != world.new)
    let whole = try world.clone()
    whole.begin()
    try await RewritingReplication(folder: "/log", files: whole.files).perform(from: world.remote)
    let calls = whole.calls
    #expect(calls > 30)
    for number in stride(from: 1, through: calls, by: Sweep.size(2, 1, 1)) {
      for goesOn in [false, true] {
        let disk = try world.clone()
        disk.begin { _, _, call in
          call == number || goesOn && call > number ? .init(code: 5, part: 0.5) : nil
        }
        let replication = RewritingReplication(folder: "/log", files: disk.files)
        let isDone = (try? await replication.perform(from: world.remote)) != nil
        disk.closeAll()
        disk.begin()
        try await world.check(disk, isDone: isDone, "call \(number) of \(calls), \(goesOn)")
      }
    }
    Sweep.tally("runs with a failing call: taking a rewriting over", 2 * calls)
  }

  @Test(
    "If the power fails at any call, the clone is the old or the new log",
    arguments: SimulatedDisk.Loss.allCases)
  func power(_ loss: SimulatedDisk.Loss) async throws {
    let world = try await World()
    var random = SplitMix64(seed: 3)
    let whole = try world.clone()
    whole.begin()
    try await RewritingReplication(folder: "/log", files: whole.files).perform(from: world.remote)
    for number in stride(from: 1, through: whole.calls + 1, by: Sweep.size(2, 1, 1)) {
      let disk = try world.clone()
      let part = Double.random(in: 0...1, using: &random)
      disk.begin { _, _, call in call >= number ? .init(code: 5, part: part) : nil }
      let replication = RewritingReplication(folder: "/log", files: disk.files)
      let isDone = (try? await replication.perform(from: world.remote)) != nil
      disk.losePower(loss, &random)
      disk.begin()
      try await world.check(disk, isDone: isDone, "\(loss), call \(number)")
    }
  }
}
