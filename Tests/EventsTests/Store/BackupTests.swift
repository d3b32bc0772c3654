import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// A backup always restores to a state that the log had, even if any call of the backup or the
/// power fails.
@Suite struct BackupTests {
  static let (log, photos, folder) = ("/log", "/log/photos", "/backup")

  /// A log of several segments, with photos and every other file that a log's folder can have.
  static func disk(events: Int = 8) async throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    do {
      let log = try FileLog(
        path: log, creating: true, segmentSize: 900, files: disk.files,
        environment: SteppedClock(seed: 7).environment)
      for index in 0..<events { try await log.append(Commit([.following("ann", "n\(index)")])) }
    }
    for folder in ["", "/avatars", "/avatars/ann"] { try disk.files.makeDirectory(photos + folder) }
    disk[photos + "/avatars/ann/1.jpg"] = [1, 2, 3]
    disk[photos + "/avatars/ann/2.jpg"] = [4]
    try disk.files.makeDirectory(log + "/retries")
    try disk.files.makeDirectory(log + "/checkpoints")
    disk[log + "/retries/1"] = Array("a retry\n".utf8)
    disk[log + "/checkpoints/x"] = [0]
    disk[log + "/rules.json"] = Array(rules("climb").utf8)
    try Bookmarks(LogView(path: log, files: disk.files))?.set("here", at: 3)
    return disk
  }

  /// A rules file that records one of the presets.
  static func rules(_ preset: String) -> String {
    #"{"rules":[{"after":0,"rules":{"base":"\#(preset)"}}]}"# + "\n"
  }

  /// Changes every kind of file that a backup copies.
  static func change(_ disk: SimulatedDisk) async throws {
    do {
      let log = try FileLog(
        path: log, segmentSize: 900, files: disk.files,
        environment: SteppedClock(seed: 8).environment)
      for index in 0..<6 { try await log.append(Commit([.following("ben", "n\(index)")])) }
    }
    let photo = photos + "/avatars/ann/1.jpg"
    try disk.files.replace(photo, in: photos + "/avatars/ann", [9, 9, 9])
    try disk.files.remove(photos + "/avatars/ann/2.jpg")
    disk[photos + "/avatars/ann/3.jpg"] = [7, 7]
    disk[log + "/rules.json"] = Array(rules("erg").utf8)
  }

  static func backUp(_ disk: SimulatedDisk) throws(BackupError) -> Backup.Report {
    try Backup(
      of: log, photos: photos, in: folder, files: disk.files,
      environment: SteppedClock(seed: 9).environment
    ).run()
  }

  /// The contents of the last finished backup: its last event, its photos and its other files.
  struct Contents: Equatable {
    var report: Restoration.Report
    var files: [String: [UInt8]] = [:]

    init(_ disk: SimulatedDisk) throws {
      report = try Restoration(from: folder, files: disk.files).check()
      report.time = Timestamp(milliseconds: 0)
      let manifest = try #require(try BackupManifest(in: folder, disk.files))
      for file in manifest.sides { files[file.path] = disk[folder + "/" + file.stored] }
      for file in manifest.photos.values {
        files["photos/" + file.path] = disk[folder + "/photos/" + file.stored]
      }
    }
  }

  @Test("A backup has the events, the photos and the other files, but no checkpoints")
  func whole() async throws {
    let disk = try await Self.disk()
    let report = try Self.backUp(disk)
    #expect((report.head, report.newEvents, report.photos, report.newPhotos) == (8, 8, 2, 2))
    let contents = try Contents(disk)
    #expect(
      contents.files.keys.sorted() == [
        "bookmarks", "photos/avatars/ann/1.jpg", "photos/avatars/ann/2.jpg", "retries/1",
        "rules.json",
      ])
    #expect(contents.files["photos/avatars/ann/1.jpg"] == [1, 2, 3])
    #expect(disk.openFiles == 0)
  }

  @Test("The next backup copies new files, replaces changed ones and deletes removed ones")
  func incremental() async throws {
    let disk = try await Self.disk()
    _ = try Self.backUp(disk)
    let same = try Self.backUp(disk)
    #expect((same.newEvents, same.newPhotos, same.removedPhotos) == (0, 0, 0))
    try await Self.change(disk)
    // Files that are already in the backup are not written again.
    disk.begin { call, path, _ in
      call == "truncate" && path != "/backup/lock"
        || call == "open" && path == "/backup/photos/avatars/ann/1.jpg"
        ? .init(code: 5) : nil
    }
    let report = try Self.backUp(disk)
    disk.begin()
    #expect((report.head, report.newEvents, report.photos, report.newPhotos) == (14, 6, 2, 2))
    let contents = try Contents(disk)
    #expect(contents.files["photos/avatars/ann/1.jpg"] == [9, 9, 9])
    #expect(contents.files["photos/avatars/ann/3.jpg"] == [7, 7])
    #expect(contents.files["rules.json"] == Array(Self.rules("erg").utf8))
    // Files that are not part of the backup are deleted.
    let kept = disk.paths.filter { $0.hasPrefix("/backup/photos/avatars/ann/") }
    #expect(kept.count == 2, "\(kept)")
  }

  @Test("If any one call fails, the folder has the last backup or the new one")
  func everyCall() async throws {
    let start = try await Self.disk()
    _ = try Self.backUp(start)
    let old = try Contents(start)
    try await Self.change(start)
    let whole = SimulatedDisk(copying: start)
    _ = try Self.backUp(whole)
    let calls = whole.calls
    let new = try Contents(whole)
    var (done, kept) = (0, 0)
    for number in stride(from: 1, through: calls, by: Sweep.size(5, 1, 1)) {
      for goesOn in [false, true] {
        let disk = SimulatedDisk(copying: start)
        disk.begin { _, _, call in
          call == number || goesOn && call > number ? .init(code: 5, part: 0.5) : nil
        }
        let isDone = (try? Self.backUp(disk)) != nil
        disk.closeAll()
        disk.begin()
        let now = try Contents(disk)
        #expect(now == old || now == new, "call \(number) of \(calls)")
        #expect(now == new || !isDone, "call \(number): not done, and reported as done")
        if now == new { done += 1 } else { kept += 1 }
        _ = try Self.backUp(disk)
        #expect(try Contents(disk) == new, "call \(number): the next run does not finish it")
      }
    }
    #expect(done > 4 && kept > 4)
    Sweep.tally("runs with a failing call: backup", done + kept)
  }

  @Test("If the first backup is killed at any call, the next one keeps its copies and finishes")
  func firstKilled() async throws {
    let start = try await Self.disk()
    let done = SimulatedDisk(copying: start)
    _ = try Self.backUp(done)
    let calls = done.calls
    let whole = try Contents(done)
    var kept = 0
    for number in stride(from: 1, through: calls, by: Sweep.size(3, 1, 1)) {
      let disk = SimulatedDisk(copying: start)
      disk.begin { _, _, call in call >= number ? .init(code: 5, part: 1) : nil }
      _ = try? Self.backUp(disk)
      disk.closeAll()
      disk.begin()
      let hadPhotos = disk["/backup/progress"].map { $0.filter { $0 == 0x0a }.count } == 2
      let report = try Self.backUp(disk)
      if hadPhotos {
        kept += 1
        #expect(report.newPhotos == 0, "call \(number): a copied photo was copied again")
      }
      #expect(try Contents(disk) == whole, "call \(number)")
    }
    #expect(kept > 0)
  }

  @Test(
    "If the power fails at any call, the folder has the last backup or the new one",
    arguments: SimulatedDisk.Loss.allCases)
  func power(_ loss: SimulatedDisk.Loss) async throws {
    let start = try await Self.disk()
    _ = try Self.backUp(start)
    let old = try Contents(start)
    try await Self.change(start)
    let whole = SimulatedDisk(copying: start)
    _ = try Self.backUp(whole)
    let calls = whole.calls
    let new = try Contents(whole)
    var random = SplitMix64(seed: 5)
    for number in stride(from: 1, through: calls + 1, by: Sweep.size(5, 1, 1)) {
      let disk = SimulatedDisk(copying: start)
      let part = Double.random(in: 0...1, using: &random)
      disk.begin { _, _, call in call >= number ? .init(code: 5, part: part) : nil }
      let isDone = (try? Self.backUp(disk)) != nil
      disk.losePower(loss, &random)
      disk.begin()
      let now = try Contents(disk)
      #expect(now == old || now == new, "\(loss), call \(number) of \(calls)")
      #expect(now == new || !isDone, "\(loss), call \(number): what was done is gone")
    }
  }

  @Test("After the log erased a person, the next backup has no trace of them")
  func rewritten() async throws {
    let disk = try await ForgettingFailsTests.disk()
    _ = try Self.backUp(disk)
    try await ForgettingFailsTests.forget(disk.files)
    let report = try Self.backUp(disk)
    #expect(report.wasRewritten && report.head == 12)
    #expect(try Contents(disk).report.head == 12)
    let holding = disk.paths.filter {
      $0.hasPrefix("/backup")
        && String(decoding: disk[$0] ?? [], as: UTF8.self).contains(ForgettingFailsTests.person)
    }
    #expect(holding.isEmpty, "\(holding)")
    #expect(try Self.backUp(disk).wasRewritten == false)
  }

  @Test("A backup of another log, or with more events than the log, is refused")
  func others() async throws {
    let disk = try await Self.disk()
    _ = try Self.backUp(disk)
    let shorter = try await Self.disk(events: 5)
    let other = try await ForgettingFailsTests.disk()
    for (path, log) in [("shorter", shorter), ("other", other)] {
      for name in log.paths where name.hasPrefix("/log/0") { disk["/" + path + name] = log[name] }
      for folder in ["/" + path, "/" + path + "/log"] { disk.makeFolder(folder) }
      let backup = Backup(
        of: "/\(path)/log", photos: "/none", in: Self.folder, files: disk.files)
      #expect(throws: BackupError.self) { try backup.run() }
      do throws(BackupError) {
        try backup.run()
      } catch {
        guard case .otherLog = error else {
          Issue.record("\(path): \(error)")
          continue
        }
      }
    }
    #expect(try Contents(disk).report.head == 8)
  }

  @Test("A log with a torn end is backed up to its last whole event")
  func tails() async throws {
    for (cut, head) in [(1, UInt64(8)), (40, 7)] {
      let disk = try await Self.disk()
      let last = try #require(disk.paths.filter { $0.hasSuffix(".jsonl") }.max())
      disk[last] = disk[last]?.dropLast(cut)
      for _ in 0..<2 {
        #expect(try Self.backUp(disk).head == head)
        #expect(try Contents(disk).report.head == head)
      }
      try await Self.change(disk)
      #expect(try Self.backUp(disk).head == head + 6)
      #expect(try Contents(disk).report.head == head + 6)
    }
  }

  @Test("Every changed or missing byte of a backup is found")
  func damage() async throws {
    let disk = try await Self.disk()
    _ = try Self.backUp(disk)
    let paths = disk.paths.filter { $0.hasPrefix("/backup/") && $0 != "/backup/lock" }
    var tried = 0
    for path in paths {
      guard let bytes = disk[path], !bytes.isEmpty else { continue }
      for at in Set([0, bytes.count / 2, bytes.count - 1]) {
        tried += 1
        var changed = bytes
        changed[at] ^= 0x01
        disk[path] = changed
        #expect(throws: BackupError.self, "\(path), byte \(at)") {
          try Restoration(from: Self.folder, files: disk.files).check()
        }
      }
      disk[path] = nil
      #expect(throws: BackupError.self, "\(path) is missing") {
        try Restoration(from: Self.folder, files: disk.files).check()
      }
      disk[path] = bytes
    }
    #expect(tried > 15)
    _ = try Restoration(from: Self.folder, files: disk.files).check()
  }
}
