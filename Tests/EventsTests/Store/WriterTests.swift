import FaultTesting
import Foundation
import Synchronization
import Testing

@testable import EventLog
@testable import Events

/// The log on disk: created, reopened, segmented, locked, written concurrently and read meanwhile.
@Suite(.serialized) struct WriterTests {
  @Test("A log is created only on request, and reopening continues at its end")
  func reopening() async throws {
    let folder = ScratchFolder()
    #expect(throws: LogError.noSuchLog(path: folder.log)) { try FileLog(path: folder.log) }
    #expect(folder.names().isEmpty)
    let reference = InMemoryLog(SteppedClock().environment)
    let clock = SteppedClock()
    for round in 0..<6 {
      let log = try FileLog(
        path: folder.log, creating: true, segmentSize: 1_000, environment: clock.environment)
      #expect(log.recovery == nil)
      #expect(await log.head() == UInt64(round) * 3)
      let commits = [
        Commit([.following("a", "b")], expecting: [.init("follow/a/b", .exact(UInt64(round)))]),
        Commit(
          [.following("a", "c"), .following("n", "\(round)")], position: UInt64(round * 3 + 1)),
      ]
      for commit in commits {
        #expect(try await log.append(commit) == reference.append(commit))
      }
    }
    #expect(try LogView(path: folder.log).allBytes() == reference.view().allBytes())
    #expect(try LogView(path: folder.log).verify().streams == 8)
  }

  @Test("A full segment is followed by one named by its first seq; no commit spans two")
  func rolling() async throws {
    let folder = ScratchFolder()
    let size = 1_500
    let log = try FileLog(path: folder.log, creating: true, segmentSize: size, files: .unsynced)
    var random = SplitMix64(seed: 5)
    var next: UInt64 = 1
    for _ in 0..<60 {
      // Sometimes a commit exceeds one segment, and sometimes a group has several commits.
      let commits = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Commit(
          (0..<Int.random(in: 1...8, using: &random)).map { _ in
            next += 1
            return .following("a", "n\(next)")
          })
      }
      for result in await log.append(commits) { _ = try result.get() }
    }
    let view = try LogView(path: folder.log)
    #expect(view.segmentCount > 20)
    #expect(try view.verify().head.seq == next - 1)
    #expect(try view.allEvents() == log.view().allEvents())
    let lines = try view.allEvents().reduce(into: [UInt64: RecordedEvent]()) { $0[$1.seq] = $1 }
    for (index, segment) in view.segments.enumerated() {
      let name = String(segment.path.suffix(22))
      #expect(
        name == String(repeating: "0", count: 16 - "\(segment.first)".count)
          + "\(segment.first).jsonl")
      #expect(try view.line(index, start: 0).event.seq == segment.first)
      #expect(lines[segment.first]?.batch?.index ?? 1 == 1, "a commit begins segment \(index)")
      // Beyond its size only for a commit that does not fit into any segment.
      let commit = lines[segment.first]?.batch?.count ?? 1
      let last = index + 1 < view.segments.count ? view.segments[index + 1].first : next
      #expect(segment.size <= size || last - segment.first == UInt64(commit))
    }
  }

  @Test("Concurrent appends are each whole and acknowledged, and share their syncs")
  func groupCommit() async throws {
    try await OwnThreads.run {
      let folder = ScratchFolder()
      let disk = WatchedDisk()
      let log = try FileLog(
        path: folder.log, creating: true, segmentSize: 30_000, files: disk.files)
      // The first write waits until every task's first commit, of one event, is planned. So they
      // meet in at most two groups.
      let gate = DispatchSemaphore(value: 0)
      disk.begin { call, _, number, _ in
        if call == .write, number == 1 { gate.wait() }
        return nil
      }
      let acknowledged = try await withThrowingTaskGroup(of: [Appended].self) { group in
        for task in 0..<32 {
          group.addTask {
            var done: [Appended] = []
            for number in 0..<10 {
              let events = (0...number % 3).map {
                NewEvent.following(
                  "t\(task)", "n\(number)-\($0)",
                  id: .numbered(UInt64(task << 8 + number << 2 + $0)))
              }
              done.append(try await log.append(Commit(events)))
            }
            return done
          }
        }
        group.addTask {
          while log.state.withLock({ $0.head.seq }) < 32 { await Task.yield() }
          gate.signal()
          return []
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let commits = 320
      #expect(acknowledged.count == commits)
      let events = try LogView(path: folder.log).allEvents()
      #expect(try LogView(path: folder.log).verify().head == log.view().head())
      #expect(events.map(\.seq) == Array(1...UInt64(events.count)))
      #expect(acknowledged.reduce(0) { $0 + Int($1.last - $1.first + 1) } == events.count)
      for appended in acknowledged {
        let written = events[Int(appended.first) - 1...Int(appended.last) - 1]
        #expect(Set(written.map(\.actor)).count == 1)
        #expect(written.map { $0.batch?.index ?? 1 } == Array(1...written.count))
      }
      #expect(disk.count(.sync) < commits - 30 + log.view().segmentCount)
    }
  }

  @Test("A log can be opened again at once while other threads start processes")
  func reopeningAmongProcesses() async throws {
    let folder = ScratchFolder()
    _ = try FileLog(path: folder.log, creating: true)
    let spawning = Task.detached { () throws -> Void in
      while !Task.isCancelled {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
      }
    }
    for _ in 0..<Sweep.size(500, 1_500, 1_500) {
      _ = try FileLog(path: folder.log, files: .unsynced)
    }
    spawning.cancel()
    _ = try? await spawning.value
  }

  @Test(
    "faults 18: a second writer is refused with the holder's name, and may open the log afterwards")
  func secondWriter() async throws {
    let folder = ScratchFolder()
    var first: FileLog? = try FileLog(path: folder.log, creating: true)
    try await first?.append(Commit([.following("a", "b")]))
    for creating in [false, true] {
      do {
        _ = try FileLog(path: folder.log, creating: creating)
        Issue.record("a second writer was let in")
      } catch {
        guard case .locked(let path, let holder) = error else { throw error }
        #expect(path == folder.log)
        #expect(holder.hasPrefix("pid \(ProcessInfo.processInfo.processIdentifier) on "))
        #expect("\(error)".contains(holder))
      }
    }
    #expect(try LogView(path: folder.log).writer()?.hasPrefix("pid ") == true)
    // The refusal did not affect the first writer.
    try await first?.append(Commit([.following("a", "c")]))
    first = nil
    #expect(try LogView(path: folder.log).writer() == nil)
    let second = try FileLog(path: folder.log)
    #expect(await second.head() == 2)
    #expect(try LogView(path: folder.log).writer() != nil)
  }

  @Test("A writer that failed to open the log leaves neither lock nor descriptor behind")
  func failedOpening() async throws {
    let folder = ScratchFolder()
    folder.makeFolder("log")
    folder.write(Array("no event\n".utf8), to: "log/" + SegmentName.make(1))
    let disk = WatchedDisk()
    #expect(damage { _ = try FileLog(path: folder.log, files: disk.files) }?.line == 1)
    #expect(disk.isBalanced)
    #expect(try LogView(path: folder.log).writer() == nil)
  }

  @Test("faults 19: readers beside a writer see only whole commits and never a false alarm")
  func readersBeside() async throws {
    let folder = ScratchFolder()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 60_000, files: .unsynced)
    try log.beginFirstSegment()
    let path = folder.log
    let total: UInt64 = 2_000
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<total / 10 {
          let commits = (0..<5).map {
            Commit([.following("a", "n\(number)-\($0)"), .following("b", "n\(number)-\($0)")])
          }
          for result in await log.append(commits) { _ = try result.get() }
          if number % 8 == 0 { await Task.yield() }
        }
      }
      for reader in 0..<2 {
        group.addTask {
          var seen: UInt64 = 0
          while seen < total {
            let view = try LogView(path: path)
            let head = try reader == 0 ? view.verify().head : view.readCold().head
            #expect(try view.head() == head)
            #expect(head.seq >= seen && head.seq % 2 == 0)
            seen = head.seq
            try await Task.sleep(for: .milliseconds(5))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await log.head() == total)
  }

  @Test("A reader's view does not change while the log grows and gets new segments")
  func viewsStay() async throws {
    let folder = ScratchFolder()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 2_000, files: .unsynced)
    var views: [(LogView, UInt64)] = []
    for number in 0..<40 {
      try await log.append(Commit([.following("a", "n\(number)")]))
      views.append((try LogView(path: folder.log), UInt64(number) + 1))
      views.append((log.view(), UInt64(number) + 1))
    }
    for (view, head) in views {
      #expect(try view.verify().head.seq == head)
      #expect(try view.line(at: head + 1) == nil)
    }
  }

  @Test(
    "A planned but unwritten event is found by its id when ids are first indexed")
  func idsWhilePlanned() throws {
    let folder = ScratchFolder()
    folder.makeFolder("log")
    var state = try WriterState(try LogView(path: folder.log), segmentSize: 1_000)
    let clock = SteppedClock()
    // The first commit has no id. While it is being written, the second commit has one.
    _ = state.plan([Commit([.following("a", "b")])], clock.environment)
    _ = state.plan([Commit([.following("c", "d", id: .numbered(1))])], clock.environment)
    let same = SteppedClock().environment
    let id = EventID(time: same.now(), random: same.random())
    #expect(try state.find(.numbered(1))?.seq == 2)
    let found = try state.find(id)
    #expect(found?.seq == 1)
  }

  @Test("A refusal that depends on unwritten events waits until they are written")
  func refusalWaits() throws {
    let folder = ScratchFolder()
    folder.makeFolder("log")
    var state = try WriterState(try LogView(path: folder.log), segmentSize: 1_000)
    let clock = SteppedClock()
    let refused = Commit([.following("c", "d")], expecting: [.init("follow/a/b", .noStream)])
    _ = state.plan([Commit([.following("a", "b")])], clock.environment)
    let (results, waits) = state.plan([refused], clock.environment)
    #expect(throws: LogError.self) { try results[0].get() }
    #expect(waits, "whoever is refused would catch up, find nothing, and be refused for ever")
  }

  @Test("Appends that arrive while a group is written wait, and one of them writes the next group")
  func handsOver() async throws {
    try await OwnThreads.run {
      let (folder, disk) = (ScratchFolder(), WatchedDisk())
      let log = try FileLog(path: folder.log, creating: true, files: disk.files)
      try await log.append(Commit([.following("a", "n0")]))
      let gate = DispatchSemaphore(value: 0)
      disk.begin { call, _, number, _ in
        if call == .sync, number == 1 { gate.wait() }
        return nil
      }
      async let first = log.append(Commit([.following("a", "n1")]))
      while disk.count(.sync) < 1 { await Task.yield() }
      async let second = log.append(Commit([.following("a", "n2")]))
      async let third = log.append(Commit([.following("a", "n3")]))
      while log.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
      gate.signal()
      let appended = try await [first, second, third]
      #expect(Set(appended.map(\.first)) == [2, 3, 4])
      #expect(disk.count(.sync) == 2, "the second and the third share one")
      #expect(try LogView(path: folder.log).verify().head.seq == 4)
    }
  }

  @Test(
    "If a write fails, the waiting appends and all later ones get the error")
  func failsForAll() async throws {
    try await OwnThreads.run {
      let (folder, disk) = (ScratchFolder(), WatchedDisk())
      let log = try FileLog(path: folder.log, creating: true, files: disk.files)
      try await log.append(Commit([.following("a", "n0")]))
      let gate = DispatchSemaphore(value: 0)
      disk.begin { call, _, number, _ in
        guard call == .sync, number == 1 else { return nil }
        gate.wait()
        return .broken
      }
      async let first = log.append([Commit([.following("a", "n1")])])
      while disk.count(.sync) < 1 { await Task.yield() }
      async let second = log.append([Commit([.following("a", "n2")])])
      while log.state.withLock({ $0.waiters.count }) < 1 { await Task.yield() }
      gate.signal()
      for results in await [first, second, log.append([Commit([.following("a", "n3")])])] {
        #expect(throws: LogError.self) { try results[0].get() }
      }
      #expect(await log.head() == 1)
    }
  }
}
