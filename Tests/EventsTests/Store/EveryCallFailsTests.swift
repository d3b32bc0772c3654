import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Whichever call fails, no acknowledged event is lost and no commit is written in part.
@Suite struct EveryCallFailsTests {
  /// The appends that a run tried and those acknowledged; an event's followee is its number.
  struct Run {
    var attempted = 0
    var acknowledged = 0
    var error: LogError?

    /// Opens the log of a path and appends four commits; stops at the first error.
    /// - Returns: whether there was no error.
    mutating func append(to path: String, _ files: FileSystem, round: Int) async -> Bool {
      do throws(LogError) {
        let log = try FileLog(
          path: path, creating: true, segmentSize: 700, files: files,
          environment: SteppedClock(seed: UInt64(round)).environment)
        for size in [1, 3, 2, 1] {
          let events = (0..<size).map { NewEvent.following("a", "n\(attempted + $0)") }
          attempted += size
          try await log.append(Commit(events))
          acknowledged = attempted
        }
        return true
      } catch {
        self.error = error
        return false
      }
    }
  }

  /// Creates a log, appends, starts new segments, leaves a torn tail, reopens the log and appends;
  /// stops at the first error.
  static func script(_ folder: ScratchFolder, _ files: FileSystem) async -> Run {
    var run = Run()
    for round in 0..<3 {
      if round == 1 { tear(folder, Array("torn tail".utf8)) }
      if round == 2 { tear(folder, nil) }
      if await !run.append(to: folder.log, files, round: round) { break }
    }
    return run
  }

  /// Adds bytes to the last segment, or removes its last line feed.
  private static func tear(_ folder: ScratchFolder, _ tail: [UInt8]?) {
    guard let name = folder.segments.last else { return }
    let bytes = folder.bytes(name)
    folder.write(tail.map { bytes + $0 } ?? Array(bytes.dropLast()), to: name)
  }

  /// Opens the log with a working disk and checks acknowledged ⊆ recovered ⊆ attempted, with whole
  /// commits in order.
  static func check(_ folder: ScratchFolder, _ run: Run, _ what: String) async {
    do {
      let log: FileLog
      do throws(LogError) {
        log = try FileLog(path: folder.log, files: .unsynced)
      } catch .noSuchLog {
        #expect(run.acknowledged == 0, "\(what): the log is gone")
        return
      }
      let found = try await log.all().map { event in
        String(event.stream.dropFirst("follow/a/n".count))
      }
      #expect(found == (0..<found.count).map(String.init), "\(what): not a prefix")
      #expect(found.count >= run.acknowledged, "\(what): \(run.acknowledged) acknowledged")
      #expect(found.count <= run.attempted, "\(what)")
      let ends = [1, 4, 6, 7].flatMap { end in [0, 7, 14].map { $0 + end } } + [0]
      #expect(ends.contains(found.count), "\(what): half a commit, of \(found.count)")
      try await log.append(Commit([.following("b", "c")]))
      let view = try LogView(path: folder.log)
      #expect(view.tail == .none)
      #expect(try view.verify().head.seq == UInt64(found.count) + 1, "\(what)")
    } catch {
      Issue.record("\(what): the log does not open again: \(error)")
    }
  }

  @Test("The script makes every kind of call except rename, remove and the lock query")
  func scriptRuns() async {
    let folder = ScratchFolder()
    let disk = WatchedDisk()
    let run = await Self.script(folder, disk.files)
    #expect(run.error == nil)
    #expect(run.acknowledged == 21)
    #expect(disk.isBalanced)
    for call in WatchedDisk.Call.allCases where ![.rename, .remove, .isLocked].contains(call) {
      #expect(disk.count(call) > 0, "\(call)")
    }
    await Self.check(folder, run, "nothing failed")
  }

  @Test(
    "faults 7–10, 12: the k-th call of each kind fails, for every k",
    arguments: WatchedDisk.Call.allCases)
  func everyCall(_ failing: WatchedDisk.Call) async {
    let whole = WatchedDisk()
    _ = await Self.script(ScratchFolder(), whole.files)
    let total = whole.count(failing)
    guard total > 0 else { return }
    var runs = 0
    for number in 1...total {
      let failures: [(WatchedDisk.Failure, Bool)] = [
        (.broken, false), (.broken, true), (.full, false), (.init(code: EIO, part: 0), false),
        (.init(code: ENOSPC, part: 1), false),
      ]
      // Reads are many and similar; the short sweep tests every fourth one.
      if !wantsSweep, [.read, .status].contains(failing), number % 4 != 0 { continue }
      for (index, (failure, goesOn)) in failures.enumerated() {
        if !wantsSweep, ![number % 5, (number + 2) % 5].contains(index) { continue }
        let (folder, disk) = (ScratchFolder(), WatchedDisk())
        disk.begin { call, _, ofKind, _ in
          call == failing && (ofKind == number || goesOn && ofKind > number) ? failure : nil
        }
        let run = await Self.script(folder, disk.files)
        let what = "\(failing) \(number) of \(total), code \(failure.code), part \(failure.part)"
        let isBalanced = disk.isBalanced
        // SegmentWriter.init leaves its file open when the status that follows fails.
        #expect(isBalanced, "\(what): a descriptor was left open or closed twice")
        await Self.check(folder, run, what)
        runs += 1
      }
    }
    Sweep.tally("runs with a failing call: append, roll, recover: \(failing)", runs)
  }
}
