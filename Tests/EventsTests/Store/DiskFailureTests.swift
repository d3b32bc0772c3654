import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Faults 9, 10, 12, 14, 22, 23: failing calls, the order of calls, and unusable files.
@Suite struct DiskFailureTests {
  @Test(
    "faults 9, 10, 12: a failing write, sync or close closes the log and acknowledges nothing",
    arguments: [WatchedDisk.Call.write, .sync, .status, .syncDirectory, .close])
  func fatal(_ failing: WatchedDisk.Call) async throws {
    let folder = ScratchFolder()
    let disk = WatchedDisk()
    do {
      let log = try FileLog(
        path: folder.log, creating: true, segmentSize: 600, files: disk.files)
      for commit in DiskFullTests.commits(3) { try await log.append(commit) }
      disk.begin { call, _, number, _ in call == failing && number == 1 ? .broken : nil }
      // Large enough for a new segment, so that each of the calls is made.
      let result = await log.append([Commit((0..<3).map { .following("late", "n\($0)") })])
      guard case .failure(.file(let error))? = result.first else {
        Issue.record("\(failing): \(result)")
        return
      }
      #expect(error.code == EIO)
      #expect(await log.head() == 6)
      let again = await log.append([Commit([.following("z", "z")])])
      guard case .failure(.closed)? = again.first else {
        Issue.record("\(failing) was not fatal: \(again)")
        return
      }
      #expect(disk.count(failing) == 1, "the call that failed is not tried again")
    }
    #expect(
      disk.isBalanced, "each descriptor is closed once: \(disk.state.withLock { $0.strayCloses })")
    let reopened = try FileLog(path: folder.log, files: .unsynced)
    let head = await reopened.head()
    #expect(head == 6 || head == 9)
    try await reopened.append(Commit([.following("z", "z")]))
    #expect(try LogView(path: folder.log).verify().head.seq == head + 1)
  }

  @Test(
    "faults 14: a new segment's folder and the old segment are synced before the acknowledgement")
  func order() async throws {
    let folder = ScratchFolder()
    let disk = WatchedDisk()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 500, files: disk.files)
    // The log's own folder is a new name in its parent.
    #expect(disk.entries.contains(.init(call: .syncDirectory, path: folder.path)))
    for number in 0..<12 {
      let segments = Set(folder.segments)
      disk.begin()
      try await log.append(Commit([.following("a", "n\(number)")]))
      let made = disk.entries.filter { [.open, .write, .sync, .syncDirectory].contains($0.call) }
      guard let new = folder.segments.first(where: { !segments.contains($0) }) else {
        #expect(made.map(\.call) == [.write, .sync])
        continue
      }
      let (path, old) = (folder.path + "/" + new, segments.max().map { folder.path + "/" + $0 })
      var expected: [WatchedDisk.Entry] = old.map { [.init(call: .sync, path: $0)] } ?? []
      expected += [
        .init(call: .open, path: path), .init(call: .syncDirectory, path: folder.log),
        .init(call: .write, path: path), .init(call: .sync, path: path),
      ]
      #expect(made == expected, "append \(number)")
    }
    #expect(folder.segments.count > 3)
  }

  @Test("A torn tail's copy and its folder are synced before the tail is cut off")
  func orderOfRecovery() async throws {
    let folder = ScratchFolder()
    folder.makeFolder("log")
    folder.write(Array("torn".utf8), to: "log/" + SegmentName.make(1))
    let disk = WatchedDisk()
    let log = try FileLog(path: folder.log, files: disk.files)
    let kept = try #require(log.recovery?.kept)
    let segment = folder.log + "/" + SegmentName.make(1)
    let made = disk.entries
    let steps: [WatchedDisk.Entry] = [
      .init(call: .write, path: kept), .init(call: .sync, path: kept),
      .init(call: .syncDirectory, path: folder.log + "/recovered"),
      .init(call: .syncDirectory, path: folder.log), .init(call: .truncate, path: segment),
      .init(call: .sync, path: segment),
    ]
    var places: [Int] = []
    for step in steps { places.append(try #require(made.firstIndex(of: step), "\(step)")) }
    #expect(places == places.sorted())
  }

  @Test("faults 22: each path that is not a log has its own error, and nothing is created")
  func notALog() throws {
    let folder = ScratchFolder()
    folder.write([1, 2, 3], to: "file")
    folder.makeFolder("other")
    folder.write([], to: "other/notes.txt")
    folder.makeFolder("segment-is-folder/" + SegmentName.make(1))
    folder.makeFolder("segment-is-fifo")
    #expect(mkfifo(folder.path + "/fifo", 0o644) == 0)
    #expect(mkfifo(folder.path + "/segment-is-fifo/" + SegmentName.make(1), 0o644) == 0)
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    var errors: [String] = []
    for name in ["missing", "file", "other", "segment-is-folder", "segment-is-fifo", "fifo"] {
      let path = folder.path + "/" + name
      for creating in name == "missing" ? [false] : [false, true] {
        do {
          _ = try FileLog(path: path, creating: creating)
          Issue.record("\(name) was opened")
        } catch {
          switch error {
          case .noSuchLog(let found): #expect(name == "missing" && found == path)
          case .notALog(let found, _): #expect(name != "missing" && found.hasPrefix(path))
          default: Issue.record("\(name): \(error)")
          }
          if !creating { errors.append("\(error)") }
        }
        #expect(throws: LogError.self) { try LogView(path: path) }
      }
    }
    #expect(Set(errors).count == errors.count)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
  }

  @Test(
    "faults 22: a folder without write permission is refused with its error, and can be read",
    .disabled(if: geteuid() == 0, "root may write everywhere"))
  func denied() async throws {
    let folder = ScratchFolder()
    do {
      let log = try FileLog(path: folder.log, creating: true)
      try await log.append(Commit([.following("a", "b")]))
    }
    folder.remove("log/lock")
    #expect(chmod(folder.log, 0o555) == 0)
    defer { chmod(folder.log, 0o755) }
    do {
      _ = try FileLog(path: folder.log)
      Issue.record("a folder without permission was opened for writing")
    } catch {
      guard case .file(let cause) = error else { throw error }
      #expect(cause.isDenied)
    }
    #expect(try LogView(path: folder.log).verify().head.seq == 1)
    #expect(folder.names("log") == [SegmentName.make(1)])
  }

  @Test(
    "faults 23: a reader notices a segment that is truncated, replaced or deleted",
    arguments: ["truncated", "replaced", "unlinked"])
  func underReader(_ change: String) async throws {
    let folder = ScratchFolder()
    let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
    for number in 0..<30 { try await log.append(Commit([.following("a", "n\(number)")])) }
    let view = try LogView(path: folder.log)
    #expect(try view.verify().head.seq == 30)
    try Self.change(change, folder)
    #expect(throws: LogError.self) { try view.verify() }
    #expect(throws: LogError.self) { try view.readCold() }
    #expect(throws: LogError.self) { try view.head() }
  }

  @Test(
    "faults 23: a writer notices a segment that is truncated, replaced or deleted",
    arguments: ["truncated", "replaced", "unlinked"])
  func underWriter(_ change: String) async throws {
    let folder = ScratchFolder()
    let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
    for number in 0..<30 { try await log.append(Commit([.following("a", "n\(number)")])) }
    try Self.change(change, folder)
    let left = folder.segments.first.map(folder.bytes)
    await #expect(throws: LogError.self, "acknowledged, and no reader will ever find it") {
      try await log.append(Commit([.following("b", "c")]))
    }
    let isUntouched = folder.segments.first.map(folder.bytes) == left
    #expect(isUntouched)
  }

  /// Changes the log's first segment in a way that no user of the log may.
  private static func change(_ change: String, _ folder: ScratchFolder) throws {
    let name = "log/" + SegmentName.make(1)
    let bytes = folder.bytes(name)
    switch change {
    case "truncated": folder.write(Array(bytes.prefix(bytes.count / 2)), to: name)
    case "unlinked": folder.remove(name)
    default:
      folder.write(bytes, to: "copy")
      #expect(rename(folder.path + "/copy", folder.path + "/" + name) == 0)
    }
  }
}
