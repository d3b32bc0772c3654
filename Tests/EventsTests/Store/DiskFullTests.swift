import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Faults 6 to 8: writes that write fewer bytes than requested.
@Suite struct DiskFullTests {
  /// The commits that the tests append one after the other.
  static func commits(_ count: Int) -> [Commit] {
    (0..<count).map { number in
      Commit((0...number % 3).map { .following("u\(number)", "n\($0)") })
    }
  }

  @Test(
    "faults 6: a short write of any length is completed", arguments: [1, 2, 7, 100, 300])
  func shortWrites(_ most: Int) async throws {
    let (folder, whole) = (ScratchFolder(), ScratchFolder())
    let disk = WatchedDisk()
    disk.state.withLock { $0.mostAtOnce = most }
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 1_000, files: disk.files,
      environment: SteppedClock().environment)
    let other = try FileLog(
      path: whole.log, creating: true, segmentSize: 1_000, files: .unsynced,
      environment: SteppedClock().environment)
    for commit in Self.commits(9) {
      #expect(try await log.append(commit) == other.append(commit))
    }
    let bytes = try LogView(path: folder.log).allBytes()
    #expect(bytes == (try LogView(path: whole.log).allBytes()))
    #expect(folder.segments == whole.segments)
  }

  @Test("faults 6: a tail that is put aside byte by byte is whole")
  func shortWritesOfTail() async throws {
    let folder = ScratchFolder()
    folder.makeFolder("log")
    let tail = Array("torn ".utf8) + Array(repeating: 0, count: 200)
    folder.write(tail, to: "log/" + SegmentName.make(1))
    let disk = WatchedDisk()
    disk.state.withLock { $0.mostAtOnce = 3 }
    let log = try FileLog(path: folder.log, files: disk.files)
    #expect(log.recovery?.tail == .torn(bytes: 205))
    #expect(folder.bytes("log/recovered/0000000000000001-0.bytes") == tail)
  }

  @Test("faults 7: on a full disk a commit is refused and cut back, and later appends succeed")
  func noRoom() async throws {
    for segmentSize in [1_200, 1 << 20] {
      // Every amount of room, from nothing to one byte less than needed.
      for room in stride(from: 0, through: 1_400, by: wantsSweep ? 1 : 37) {
        let folder = ScratchFolder()
        let disk = WatchedDisk()
        let log = try FileLog(
          path: folder.log, creating: true, segmentSize: segmentSize, files: disk.files)
        for commit in Self.commits(4) { try await log.append(commit) }
        let before = try LogView(path: folder.log).allBytes()
        let names = folder.segments
        disk.setRoom(room)
        let results = await log.append((0..<6).map { Commit([.following("late", "n\($0)")]) })
        #expect(results.count == 6)
        for result in results {
          guard case .failure(.file(let error)) = result, error.isFull else {
            Issue.record("room \(room): \(result)")
            continue
          }
        }
        #expect(await log.head() == 7)
        let view = try LogView(path: folder.log)
        #expect(view.tail == .none, "room \(room)")
        let after = try view.allBytes()
        #expect(after == before, "room \(room)")
        #expect(folder.segments == names)
        #expect(try await log.all().count == 7)
        disk.setRoom(.max)
        // The writer keeps no trace of the refused commits.
        let expecting = [Commit.Expectation("follow/late/n0", .noStream)]
        try await log.append(Commit([.following("late", "n0")], expecting: expecting, position: 7))
        try await log.append(Commit((0..<5).map { .following("late", "m\($0)") }))
        #expect(try LogView(path: folder.log).verify().head.seq == 13, "room \(room)")
        #expect(try LogView(path: folder.log).allEvents() == log.view().allEvents())
      }
    }
  }

  @Test("faults 7: if the disk is full at any call of a log's first append, a second try succeeds")
  func noRoomAtFirst() async throws {
    for call in [WatchedDisk.Call.open, .write, .syncDirectory] {
      let folder = ScratchFolder()
      let disk = WatchedDisk()
      let log = try FileLog(path: folder.log, creating: true, files: disk.files)
      disk.begin { made, _, number, _ in made == call && number == 1 ? .full : nil }
      await #expect(throws: LogError.self, "\(call)") {
        try await log.append(Commit([.following("a", "b")]))
      }
      disk.begin()
      let second = await log.append([Commit([.following("a", "b")])])
      let appended = Appended(first: 1, last: 1, isRepeat: false)
      #expect(second == [.success(appended)], "no room at \(call)")
    }
  }

  @Test("faults 7, 12: a full disk while a full segment is closed loses no later event")
  func noRoomAtRolling() async throws {
    let folder = ScratchFolder()
    let disk = WatchedDisk()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 1_000, files: disk.files)
    var acknowledged = 0
    for number in 0..<12 {
      if number == 3 {
        disk.begin { made, _, number, _ in made == .close && number == 1 ? .full : nil }
      }
      let result = await log.append([Commit([.following("a", "n\(number)")])])
      if case .success? = result.first { acknowledged += 1 }
    }
    #expect(acknowledged == 11)
    #expect(try LogView(path: folder.log).verify().head.seq == 11)
    #expect(try await log.all().count == 11)
  }

  @Test("faults 7: after a full disk stopped an import, the log has the reported events")
  func noRoomForImport() async throws {
    let count = 3 * Import.groupSize + 5
    let text = (0..<count).map { ImportingTests.line("a", "n\($0)") }.joined()
    for room in [3 << 20, 0, 1 << 20, 5 << 20].prefix(Sweep.size(1, 4, 4)) {
      let folder = ScratchFolder()
      let disk = WatchedDisk()
      let log = try FileLog(path: folder.log, creating: true, files: disk.files)
      disk.setRoom(room)
      let (report, error) = try await ImportingTests.run(text, into: log)
      guard case .log(.file(let fault)) = error, fault.isFull else {
        Issue.record("room \(room): \(String(describing: error))")
        continue
      }
      #expect(report.added < count && report.added % Import.groupSize == 0)
      #expect(try LogView(path: folder.log).verify().head.seq == UInt64(report.added))
      disk.setRoom(.max)
      let (rest, none) = try await ImportingTests.run(text, into: log)
      #expect(none == nil && rest.repeated == report.added && rest.added == count - rest.repeated)
      #expect(try LogView(path: folder.log).verify().head.seq == UInt64(count))
    }
  }

  @Test("faults 8: if the cut-back fails too, appends are refused until the log is opened again")
  func cutBackFails() async throws {
    for failing in [WatchedDisk.Call.truncate, .sync] {
      let folder = ScratchFolder()
      let disk = WatchedDisk()
      do {
        let log = try FileLog(path: folder.log, creating: true, files: disk.files)
        for commit in Self.commits(3) { try await log.append(commit) }
        disk.begin { call, _, _, _ in
          call == .write ? .full : call == failing ? .broken : nil
        }
        let refused = await log.append([Commit([.following("late", "n")])])
        guard case .failure(.file)? = refused.first else {
          Issue.record("\(refused)")
          return
        }
        disk.begin()
        for _ in 0..<3 {
          let result = await log.append([Commit([.following("later", "n")])])
          guard case .failure(.closed)? = result.first else {
            Issue.record("\(failing): \(result)")
            return
          }
        }
        #expect(disk.count(.write) == 0)
        // Acknowledged events can still be read.
        #expect(try await log.all().count == 6)
      }
      let reopened = try FileLog(path: folder.log, files: disk.files)
      #expect(await reopened.head() == 6)
      try await reopened.append(Commit([.following("later", "n")]))
      #expect(try LogView(path: folder.log).verify().head.seq == 7)
      #expect(failing == .sync || folder.names("log/recovered").count == 1)
    }
  }
}
