import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Clones with a faulty folder, remote or connection.
@Suite struct CloneFaultsTests {
  private func lines(_ log: FileLog) throws -> [UInt8] { try log.view().allBytes() }

  @Test("If an answer is lost, a retry with the same ids appends nothing twice")
  func lostAnswers() async throws {
    let folder = ScratchFolder()
    let remote = LossyRemote(try await RemoteKind.folder.make(folder))
    let log = try await folder.clone(of: remote)
    for number in 0..<6 as Range<UInt64> {
      remote.loses(number.isMultiple(of: 2) ? .answer : .question)
      let commit = Commit([.following("a", "b", id: .numbered(number))])
      await #expect(throws: LogError.self) { try await log.append(commit) }
      #expect(await log.head() == number)
      let appended = try await log.append(commit)
      #expect(appended.last == number + 1)
      #expect(appended.isRepeat == number.isMultiple(of: 2))
    }
    #expect(try log.view().verify().head.seq == 6)
  }

  @Test("A clone on a full disk cannot write until a write succeeds")
  func fullDisk() async throws {
    let (folder, disk) = (ScratchFolder(), SimulatedDisk())
    let remote = try await RemoteKind.folder.make(folder)
    let log = try await FileLog.clone(
      remote, address: remote.name, to: "/clone", files: disk.files)
    try await log.append(Commit([.following("a", "b")]))
    #expect(!log.cannotWrite)
    disk.begin { call, _, _ in call == "write" ? .init(code: ENOSPC) : nil }
    await #expect(throws: LogError.self) { try await log.append(Commit([.following("a", "c")])) }
    #expect(log.cannotWrite)
    await #expect(throws: LogError.self) { try await log.pull() }
    #expect(log.cannotWrite)
    disk.begin()
    try await log.pull()
    #expect(!log.cannotWrite)
    #expect(await log.head() == 2)
  }

  @Test("After a power failure a clone fetches its damaged last lines again")
  func powerLoss() async throws {
    let folder = ScratchFolder()
    let remote = try await RemoteKind.folder.make(folder)
    do {
      let log = try await folder.clone(of: remote)
      for number in 0..<60 { try await log.append(Commit([.following("a", "n\(number)")])) }
    }
    let whole = folder.segments.map(folder.bytes)
    #expect(whole.count > 2)
    var random = SplitMix64(seed: 5)
    for _ in 0..<30 {
      // A page of zeros somewhere, or a missing end.
      let number = Int.random(in: whole.indices, using: &random)
      var bytes = whole[number]
      let place = Int.random(in: 0..<bytes.count, using: &random)
      if Bool.random(using: &random) {
        for offset in place..<min(place + 300, bytes.count) { bytes[offset] = 0 }
      } else if number == whole.indices.last {
        bytes.removeLast(bytes.count - place)
      }
      folder.write(bytes, to: folder.segments[number])
      let log = try await folder.clone(of: remote)
      try await log.pull()
      #expect(try lines(log) == whole.flatMap { $0 })
      log.close()
      // Starts from the same damaged bytes each time, because the clone may begin segments
      // elsewhere.
      for name in folder.segments { folder.remove(name) }
      for (bytes, first) in zip(whole, firsts(whole)) {
        folder.write(bytes, to: "log/" + SegmentName.make(first))
      }
      folder.remove("log/checkpoints")
    }
    #expect(!folder.names("log/recovered").isEmpty)
    // A new segment; only its name reached the disk.
    folder.write([], to: "log/" + SegmentName.make(99))
    let log = try await folder.clone(of: remote)
    #expect(try lines(log) == whole.flatMap { $0 })
    #expect(!folder.names("log").contains(SegmentName.make(99)))
  }

  @Test("A remote with fewer events than it claims is an error and does not cause an endless loop")
  func boaster() async throws {
    let folder = ScratchFolder()
    let remote = BoastingRemote(try await RemoteKind.folder.make(folder))
    let log = try await folder.clone(of: remote)
    remote.boasts = true
    await #expect {
      try await log.pull()
    } throws: {
      if case .refused? = ($0 as? LogError)?.remoteFault { true } else { false }
    }
    remote.boasts = false
    try await log.append(Commit([.following("a", "b")]))
    #expect(await log.head() == 1)
  }

  private func firsts(_ segments: [[UInt8]]) -> [UInt64] {
    segments.indices.map { index in
      UInt64(segments[..<index].joined().count { $0 == UInt8(ascii: "\n") }) + 1
    }
  }

  @Test("If a pull breaks off in the middle, waiting appends fail and are not taken for done")
  func inPart() async throws {
    let folder = ScratchFolder()
    let remote = try await RemoteKind.folder.make(folder)
    let log = try await folder.clone(of: BreakingRemote(remote))
    let other = try await folder.clone(of: remote, SteppedClock(seed: 2), as: "other")
    for number in 0..<30 { try await other.append(Commit([.following("o", "n\(number)")])) }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          await #expect(throws: LogError.self) {
            try await log.append(Commit([.following("a", "n\(number)")]))
          }
        }
      }
    }
    #expect(await log.head() > 0)
    #expect(try await log.all().allSatisfy { $0.actor == "o" })
  }

  @Test(
    "A log that erased a person is shared together with its ledger", arguments: RemoteKind.allCases)
  func ledgers(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    do {
      let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
      for name in ["zoe_zzz", "yan_yyy", "ann"] {
        try await log.append(Commit([.following(name, "bob")]))
      }
    }
    for person in ["zoe_zzz", "yan_yyy"] {
      let log = try ForgettableLog(path: folder.log, files: .unsynced)
      let plan = try log.plan(try log.survey(ForgettingRequest(people: [person])))
      try await log.rewrite(by: plan)
    }
    let remote = try await kind.make(folder)
    let pushed = try await Clone.share(
      folder.log, with: remote, address: remote.name, files: .unsynced)
    #expect(pushed == 3)
    #expect(try await remote.head().rewritings == 2)
    let other = try await folder.clone(of: remote, as: "other")
    #expect(try other.view().rewritings() == LogView(path: folder.log).rewritings())
    // A shared log without these rewritings, such as an old backup, is refused.
    let oldFolder = ScratchFolder()
    let old = try await kind.make(oldFolder)
    let clone = SwitchedRemote(remote)
    clone.current = old
    await #expect(throws: LogError.remote(.forgotten(old.name))) {
      try await FileLog.open(clone: folder.log, of: clone, files: .unsynced)
    }
  }

  @Test("A short name is found after an escaped line feed, whose escape ends in a letter")
  func escapes() {
    func finds(_ name: String, _ text: String) -> Bool {
      var isFound = false
      let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: 64)
      bytes.withUnsafeBufferPointer { bytes in
        let line = UnsafeBufferPointer(rebasing: bytes[..<(bytes.count - 64)])
        NameSearch([name]).forEach(in: line) { _ in
          isFound = true
          return line.count
        }
      }
      return isFound
    }
    #expect(finds("ben", #"{"text":"thanks\nben!"}"#))
    #expect(finds("ben", #"{"text":"Ben"}"#))
    #expect(!finds("ben", #"{"text":"bent urben uben7"}"#))
    #expect(finds("u7", "u77u7 u7") && !finds("u7", "u77 u70 xu7"))
    #expect(finds("anything", #"{"text":"\u0061nything"}"#))
    #expect(finds("annabella", "xxANNABELLAxx") && !finds("annabella", "annabell a"))
  }
}
