import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Checkpoints on a failing disk: none is incomplete under its final name, and reading continues
/// without them.
@Suite struct CheckpointFailsTests {
  /// A small state: some numbers, and a table larger than one block.
  private struct Kept {
    var numbers: [UInt32] = [1, 2, 3]
    var table = Slab<UInt64>(blank: 0, count: 1_500)
    var text = "état"

    mutating func code(with coder: inout StateCoder) {
      coder.part("kept", version: 1) { coder in
        coder(&numbers)
        coder(&table)
        coder.record(&text)
      }
    }
  }

  private func log(_ folder: ScratchFolder) async throws {
    let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
    for number in 0..<20 {
      try await log.append(Commit([.following("a", "n\(number)")]))
    }
  }

  /// Saves the state at a position, with that position in its content.
  static func save(_ view: LogView, _ seq: UInt64) throws {
    var kept = Kept()
    for index in kept.table.indices { kept.table[index] = seq &* UInt64(index) }
    let head = try view.head(at: seq)
    let checkpoints = try #require(view.checkpoints)
    _ = try checkpoints.write("kept", head: head, skipped: [:]) { kept.code(with: &$0) }
    checkpoints.thin("kept")
  }

  /// Returns the position of the last readable state, and checks that every named file is whole.
  static func last(_ view: LogView) throws -> UInt64? {
    let checkpoints = try #require(view.checkpoints)
    var found: UInt64?
    for entry in checkpoints.entries() {
      let file = try checkpoints.open(entry, of: view)
      var kept = Kept()
      let isRead = checkpoints.read(file, lazily: false) { kept.code(with: &$0) }
      #expect(isRead && kept.text == "état" && kept.numbers == [1, 2, 3])
      #expect(kept.table[1_499] == entry.position * 1_499)
      found = found ?? entry.position
    }
    return found
  }

  @Test("faults 15, 16: if any call fails during writing, every named checkpoint is whole")
  func writing() async throws {
    for failing in WatchedDisk.Call.allCases {
      let whole = (ScratchFolder(), WatchedDisk())
      try await log(whole.0)
      whole.1.begin()
      try Self.save(try LogView(path: whole.0.log, files: whole.1.files), 20)
      for number in 1...max(1, whole.1.count(failing)) where whole.1.count(failing) > 0 {
        for part in [0, 0.5, 1] {
          let (folder, disk) = (ScratchFolder(), WatchedDisk())
          try await log(folder)
          try Self.save(try LogView(path: folder.log), 10)
          disk.begin { call, _, ofKind, _ in
            call == failing && ofKind == number ? .init(code: ENOSPC, part: part) : nil
          }
          let what = "\(failing) \(number), part \(part)"
          var isSaved = false
          if let view = try? LogView(path: folder.log, files: disk.files) {
            isSaved = (try? Self.save(view, 20)) != nil
          }
          #expect(disk.isBalanced, "\(what)")
          let found = try Self.last(try LogView(path: folder.log))
          #expect(found == 20 || found == 10 && !isSaved, "\(what): \(String(describing: found))")
          try Self.save(try LogView(path: folder.log), 20)
          Sweep.tally("runs with a failing call: checkpoint", 1)
          #expect(
            folder.names("log/checkpoints").allSatisfy { $0.hasSuffix(".checkpoint") }, "\(what)")
        }
      }
    }
  }

  @Test("fault 17: if any call fails while a checkpoint is read, it is ignored or read correctly")
  func reading() async throws {
    let (folder, watched) = (ScratchFolder(), WatchedDisk())
    try await log(folder)
    try Self.save(try LogView(path: folder.log), 20)
    for isLazy in [false, true] {
      var number = 1
      var total = Int.max
      while number <= total {
        let failing = number
        watched.begin { _, _, _, ofAll in ofAll == failing ? .broken : nil }
        if let view = try? LogView(path: folder.log, files: watched.files),
          let checkpoints = view.checkpoints, let entry = checkpoints.entries().first,
          let file = try? checkpoints.open(entry, of: view)
        {
          var kept = Kept()
          let isRead = checkpoints.read(file, lazily: isLazy) { kept.code(with: &$0) }
          let value = kept.table.isEmpty ? 0 : kept.table[kept.table.count - 1]
          if isRead, !file.isDamaged { #expect(value == 20 * 1_499, "call \(number)") }
        }
        if watched.entries.count < number { total = number - 1 }
        number += 1
      }
      #expect(total > 10)
      Sweep.tally("runs with a failing call: a checkpoint is read", total)
      #expect(watched.isBalanced)
    }
  }

  @Test("A checkpoint of a newer format is reported as such and not read")
  func newer() async throws {
    let folder = ScratchFolder()
    try await log(folder)
    try Self.save(try LogView(path: folder.log), 10)
    let name = try #require(folder.names("log/checkpoints").first)
    var bytes = folder.bytes("log/checkpoints/" + name)
    let feed = try #require(bytes.firstIndex(of: 0x0a))
    bytes[feed - 1] = UInt8(ascii: "9")
    folder.write(bytes, to: "log/checkpoints/" + name)
    let view = try LogView(path: folder.log)
    let checkpoints = try #require(view.checkpoints)
    let entry = try #require(checkpoints.entries().first)
    do {
      _ = try checkpoints.open(entry, of: view)
      Issue.record("it was opened")
    } catch {
      #expect("\(error)".contains("newer"), "\(error)")
    }
  }
}
