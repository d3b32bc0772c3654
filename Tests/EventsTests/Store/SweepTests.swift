import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// The k-th call fails, for every k, during an import, a repair or a bookmark's writing.
@Suite struct SweepTests {
  private static let failures: [SimulatedDisk.Failure] = [
    .init(code: 5), .init(code: 5, part: 0.5), .init(code: 28), .init(code: 28, part: 0.7),
  ]

  /// Runs `act` once for each of its calls and each failure, and lets `check` examine the remaining
  /// files on a working disk.
  private static func sweep(
    _ name: String, _ setUp: (SimulatedDisk) async throws -> Void,
    _ act: (FileSystem) async throws -> Void,
    _ check: (SimulatedDisk, _ failed: Bool, _ what: String) async throws -> Void
  ) async throws {
    let start = SimulatedDisk()
    try await setUp(start)
    let whole = SimulatedDisk(copying: start)
    try await act(whole.files)
    let total = whole.calls
    #expect(whole.openFiles == 0)
    try #require(total > 5)
    var runs = 0
    let isShort = Sweep.chosen == .short
    for number in 1...total {
      // In the short sweep the failures take turns.
      for (index, failure) in failures.enumerated() where !isShort || number % 2 == index % 2 {
        // One failure, or failures from then on.
        for goesOn in [false, true] {
          let disk = SimulatedDisk(copying: start)
          disk.begin { _, _, call in
            call == number || goesOn && call > number ? failure : nil
          }
          let what = "\(name), call \(number) of \(total), failure \(index), on: \(goesOn)"
          var failed = false
          do {
            try await act(disk.files)
          } catch is LogError {
            failed = true
          } catch is ImportError {
            failed = true
          }
          #expect(disk.openFiles == 0, "\(what): a file is left open")
          disk.begin()
          do {
            try await check(disk, failed, what)
          } catch {
            Issue.record("\(what): \(error)")
          }
          runs += 1
        }
      }
    }
    Sweep.tally("runs with a failing call: \(name)", runs)
  }

  private static func numbers(_ events: [RecordedEvent]) -> [Int] {
    events.map { Int($0.stream.split(separator: "n").last ?? "") ?? -1 }
  }

  @Test("faults 7–12: if any call of an import fails, a second try adds the rest exactly once")
  func importing() async throws {
    var text = ""
    for number in 0..<12 {
      let batch = number % 3 == 0 ? "" : #""batch":"\#(number % 3)/2","#
      text +=
        #"{"type":"UserFollowed","actor":"a",\#(batch)"data":{"follower":"a","#
        + #""followee":"n\#(number)"}}"# + "\n"
    }
    let lines = Array(text.utf8)
    func act(_ files: FileSystem) async throws {
      let log = try FileLog(path: "/log", segmentSize: 700, files: files)
      var job = Import(try ForeignLines(path: "/in.jsonl", files: files))
      try await job.run(into: log)
    }
    try await Self.sweep("import") { disk in
      disk["/in.jsonl"] = lines
      _ = try FileLog(path: "/log", creating: true, files: disk.files)
    } _: { files in
      try await act(files)
    } _: { disk, failed, what in
      let log = try FileLog(path: "/log", files: disk.files)
      let found = Self.numbers(try await log.all())
      #expect(found == Array(0..<found.count), "\(what)")
      #expect([0, 1, 3, 4, 6, 7, 9, 10, 12].contains(found.count), "\(what): half a commit")
      #expect(failed || found.count == 12, "\(what): it says that all is there")
      var again = Import(try ForeignLines(path: "/in.jsonl", files: disk.files))
      try await again.run(into: log)
      #expect(again.report.added == 12 - found.count, "\(what)")
      #expect(try LogView(path: "/log", files: disk.files).verify().head.seq == 12, "\(what)")
    }
  }

  @Test(
    "If any call of a repair fails, the damaged log stays unchanged, and a second try works")
  func repairing() async throws {
    let whole = SimulatedDisk()
    do {
      let log = try FileLog(path: "/log", creating: true, segmentSize: 700, files: whole.files)
      for number in 0..<9 { try await log.append(Commit([.following("a", "n\(number)")])) }
    }
    var segments = whole.paths.filter { $0.hasSuffix(".jsonl") }.map { ($0, whole[$0] ?? []) }
    segments[1].1[100] ^= 1
    let damaged = segments
    try await Self.sweep("repair") { disk in
      disk.makeFolder("/log")
      for (path, bytes) in damaged { disk[path] = bytes }
    } _: { files in
      _ = try await Repair(of: "/log", into: "/mended", files: files)
    } _: { disk, failed, what in
      for (path, bytes) in damaged { #expect(disk[path] == bytes, "\(what)") }
      // The leftovers of a failed try do not matter: the same events are recognised.
      let repair = try await Repair(of: "/log", into: "/mended", files: disk.files)
      let view = try LogView(path: "/mended", files: disk.files)
      let count = try view.verify().head.seq
      #expect(count == 8 && repair.kept == 8, "\(what)")
      for left in repair.leftOut {
        let bytes = try #require(damaged.first { $0.0 == left.file }?.1)
        #expect(disk[left.keptIn] == Array(bytes[left.offset..<left.offset + left.count]))
      }
    }
  }

  @Test("If any call fails while a bookmark is set, the file is the old or the new one")
  func bookmarking() async throws {
    try await Self.sweep("bookmarks") { disk in
      let log = try FileLog(path: "/log", creating: true, files: disk.files)
      for number in 0..<4 { try await log.append(Commit([.following("a", "n\(number)")])) }
      let bookmarks = try #require(Bookmarks(try LogView(path: "/log", files: disk.files)))
      try bookmarks.set("old", at: 2)
    } _: { files in
      let bookmarks = try #require(Bookmarks(try LogView(path: "/log", files: files)))
      try bookmarks.set("new", at: 3)
    } _: { disk, failed, what in
      let bookmarks = try #require(Bookmarks(try LogView(path: "/log", files: disk.files)))
      let names = try bookmarks.all().map(\.name)
      #expect(names == ["new", "old"] || names == ["old"] && failed, "\(what): \(names)")
      try bookmarks.set("next", at: 4)
      #expect(disk.paths.allSatisfy { !$0.hasSuffix(".tmp") }, "\(what)")
    }
  }
}
