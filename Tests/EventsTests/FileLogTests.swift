import Foundation
import Synchronization
import Testing

@testable import Events

@Suite struct FileLogTests {
  @Test("Reopening goes on where it stopped, with revisions and sums")
  func reopen() async throws {
    let folder = Folder()
    for round in 0..<5 {
      let log = try FileLog(path: folder.log, creating: true)
      #expect(log.recovery == nil)
      #expect(await log.head() == UInt64(round * 2))
      try await log.append(Commit([follow("a", "b")]))
      try await log.append(
        Commit(
          [follow("a", "c\(round)")], expecting: [.init("follow/a/b", .exact(UInt64(round + 1)))]))
    }
    #expect(try LogView(path: folder.log).verify().head.seq == 10)
  }

  @Test("Segments roll at their size, never within a commit, and the chain runs on")
  func roll() async throws {
    let folder = Folder()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 1_500)
    var random = Seeded(3)
    for round in 0..<40 {
      let count = Int.random(in: 1...4, using: &random)
      try await log.append(Commit((0..<count).map { follow("a\(round)", "b\($0)") }))
    }
    let view = try LogView(path: folder.log)
    #expect(view.segmentCount > 5)
    let result = try view.verify()
    #expect(result.head.seq == log.state.withLock { $0.head.seq })
    for (index, segment) in view.segments.enumerated() {
      let first = try view.line(index, start: 0).event
      #expect(first.seq == segment.first)
      #expect(first.batch?.index ?? 1 == 1)
      #expect(SegmentName.first(String(segment.path.suffix(22))) == segment.first)
    }
  }

  @Test("faults 18: a second writer is refused and told who holds the log")
  func lock() async throws {
    let folder = Folder()
    var first: FileLog? = try FileLog(path: folder.log, creating: true)
    #expect { try FileLog(path: folder.log) } throws: { error in
      guard case LogError.locked(_, let holder) = error else { return false }
      return holder.hasPrefix("pid \(ProcessInfo.processInfo.processIdentifier) on ")
    }
    #expect(try LogView(path: folder.log).writer() != nil)
    try await first?.append(Commit([follow("a", "b")]))
    first = nil
    #expect(try LogView(path: folder.log).writer() == nil)
    #expect(await (try FileLog(path: folder.log)).head() == 1)
  }

  @Test("Concurrent appends share syncs, and each is whole")
  func groupCommit() async throws {
    let folder = Folder()
    let syncs = Atomic<Int>(0)
    var files = FileSystem.posix
    files.sync = { (file, path) throws(FileError) in
      syncs.add(1, ordering: .relaxed)
      try FileSystem.posix.sync(file, path)
    }
    let log = try FileLog(path: folder.log, creating: true, files: files)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<32 {
        group.addTask {
          for number in 0..<20 {
            try await log.append(
              Commit([follow("t\(task)", "n\(number)"), follow("t\(task)", "m")]))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await log.head() == 1_280)
    #expect(try LogView(path: folder.log).verify().head.seq == 1_280)
    #expect(syncs.load(ordering: .relaxed) < 640)
  }

  @Test("faults 19: a reader beside a writer sees whole commits only, and no false alarm")
  func reader() async throws {
    let folder = Folder()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 40_000)
    try log.beginFirstSegment()
    let path = folder.log
    let writing = Task {
      for number in 0..<400 {
        try await log.append(Commit([follow("a", "n\(number)"), follow("b", "n\(number)")]))
      }
    }
    var seen: UInt64 = 0
    while seen < 800 {
      let head = try LogView(path: path).verify().head.seq
      #expect(head % 2 == 0 && head >= seen)
      seen = head
      await Task.yield()
    }
    try await writing.value
  }

  @Test("faults 22: what is no log has an error of its own, and nothing is created")
  func notALog() throws {
    let folder = Folder()
    #expect(throws: LogError.noSuchLog(path: folder.log)) { try LogView(path: folder.log) }
    #expect(throws: LogError.noSuchLog(path: folder.log)) { try FileLog(path: folder.log) }
    folder.write("file", [])
    folder.write("other/notes.txt", [])
    for name in ["file", "other"] {
      #expect { try FileLog(path: folder.path + "/" + name) } throws: {
        guard case LogError.notALog = $0 else { return false }
        return true
      }
    }
    #expect(folder.names("") == ["file", "other"])
    #expect(folder.names("other") == ["notes.txt"])
  }

  @Test("faults 28: an empty folder and a 0-byte segment are an empty log")
  func empty() async throws {
    let folder = Folder()
    try FileManager.default.createDirectory(atPath: folder.log, withIntermediateDirectories: true)
    #expect(try LogView(path: folder.log).verify().head.seq == 0)
    folder.write("log/" + SegmentName.make(1), [])
    #expect(try LogView(path: folder.log).verify().head.seq == 0)
    let log = try FileLog(path: folder.log)
    try await log.append(Commit([follow("a", "b")]))
    #expect(try LogView(path: folder.log).head().seq == 1)
  }

  @Test("faults 23: a segment truncated, replaced or unlinked under a reader is noticed")
  func changedUnderReader() async throws {
    for change in ["truncated", "replaced", "unlinked"] {
      let folder = Folder()
      let log = try FileLog(path: folder.log, creating: true)
      for number in 0..<50 { try await log.append(Commit([follow("a", "n\(number)")])) }
      let view = try LogView(path: folder.log)
      let name = "log/" + SegmentName.make(1)
      let bytes = folder.read(name)
      let path = folder.path + "/" + name
      switch change {
      case "truncated": truncate(path, off_t(bytes.count / 2))
      case "unlinked": try FileManager.default.removeItem(atPath: path)
      default:
        try FileManager.default.removeItem(atPath: path)
        folder.write("elsewhere", bytes)
        folder.write(name, bytes)
      }
      #expect(throws: LogError.self, "\(change)") { try view.verify() }
    }
  }
}
