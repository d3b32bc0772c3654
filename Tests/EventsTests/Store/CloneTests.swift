import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Clones of each kind of shared log.
@Suite struct CloneTests {
  private func lines(_ log: FileLog) throws -> [UInt8] { try log.view().allBytes() }

  @Test(
    "After a pull, a clone has the events of the other clones, byte for byte",
    arguments: RemoteKind.allCases)
  func turns(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let one = try await folder.clone(of: remote, SteppedClock(seed: 1), as: "one")
    let other = try await folder.clone(of: remote, SteppedClock(seed: 2), as: "other")
    for number in 0..<10 {
      try await one.append(Commit([.following("a", "n\(number)"), .following("b", "n\(number)")]))
      try await other.append(Commit([.following("c", "n\(number)")]))
    }
    try await one.pull()
    #expect(await one.head() == 30)
    #expect(try lines(one) == lines(other))
    // One commit is larger than a segment.
    try await one.append(Commit((0..<40).map { .following("m", "n\($0)") }))
    #expect(try one.view().verify().head.seq == 70)
    try await other.append(Commit([.following("c", "n")]))
    try await one.pull()
    // A third clone has all events, and so does a copy of a clone.
    let third = try await folder.clone(of: remote, as: "third")
    #expect(try lines(third) == lines(one))
    try FileManager.default.copyItem(
      atPath: folder.path + "/third", toPath: folder.path + "/copy")
    let copy = try await folder.clone(of: remote, as: "copy")
    try await copy.append(Commit([.following("d", "e")]))
    #expect(try await third.latest() == 72)
  }

  @Test(
    "The shared log stores the rules, and accepts only a continuation of them",
    arguments: RemoteKind.allCases)
  func rules(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    #expect(try await remote.rules().entries.isEmpty)
    let one = try await folder.clone(of: remote, SteppedClock(seed: 1), as: "one")
    let (first, second) = (JSONValue.object([.init("base", .string("erg"))]), JSONValue.object([]))
    try await one.record(rules: first)
    try await one.record(rules: first)
    #expect(try await remote.rules().entries == [.init(after: 0, rules: first)])
    try await one.append(Commit([.following("a", "b")]))
    // A later clone gets the rules; the first clone gets the change when it is opened again.
    let other = try await folder.clone(of: remote, SteppedClock(seed: 2), as: "other")
    #expect(try await other.recordedRules().entries == [.init(after: 0, rules: first)])
    try await other.record(rules: second)
    let both: [RecordedRules.Entry] = [
      .init(after: 0, rules: first), .init(after: 1, rules: second),
    ]
    #expect(try await remote.rules().entries == both)
    // Its own list lacks the second entry, so it must not record a third one.
    await #expect(throws: LogError.rules(.changed(remote.name))) {
      try await one.record(rules: .object([.init("base", .string("ride"))]))
    }
    one.close()
    let again = try await folder.clone(of: remote, SteppedClock(seed: 3), as: "one")
    #expect(try await again.recordedRules().entries == both)
    again.close()
    // A shared log that lost its rules is not the log that the clone knows.
    folder.write(
      Array(#"{"rules":[{"after":0,"rules":{"base":"ride"}}]}"#.utf8), to: "one/rules.json")
    await #expect(throws: LogError.self) {
      _ = try await folder.clone(of: remote, SteppedClock(seed: 4), as: "one")
    }
  }

  @Test(
    "Clones that append at the same time lose nothing and append nothing twice",
    arguments: RemoteKind.allCases)
  func race(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    var logs: [FileLog] = []
    for number in 0..<4 {
      logs.append(
        try await folder.clone(of: remote, SteppedClock(seed: UInt64(number)), as: "l\(number)"))
    }
    let appended = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for (number, log) in logs.enumerated() {
        for task in 0..<3 {
          group.addTask {
            var positions: [UInt64] = []
            for index in 0..<10 {
              let event = NewEvent.following("t\(number)", "n\(task)-\(index)")
              positions.append(try await log.append(Commit([event])).last)
            }
            return positions
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(appended.sorted() == Array(1...120))
    for log in logs {
      #expect(try await log.latest() == 120)
      #expect(try lines(log) == lines(logs[0]))
    }
    #expect(try logs[0].view().verify().head.seq == 120)
  }

  @Test(
    "An append's expectations are checked against the events of other clones",
    arguments: RemoteKind.allCases)
  func expectations(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let one = try await folder.clone(of: remote, as: "one")
    let other = try await folder.clone(of: remote, as: "other")
    let id = EventID.numbered(7)
    try await one.append(Commit([.following("a", "b", id: id)]))
    let late = Commit([.following("a", "b")], expecting: [.init("follow/a/b", .noStream)])
    await #expect(
      throws: LogError.conflict(.init(stream: "follow/a/b", expected: .noStream, actual: 1))
    ) { try await other.append(late) }
    await #expect(
      throws: LogError.conflict(.init(stream: nil, expected: .exact(1), actual: 2))
    ) {
      try await one.append(Commit([.following("a", "c")]))
      try await other.append(Commit([.following("a", "d")], position: 1))
    }
    // The same ids through another clone are the same events.
    let again = try await other.append(Commit([.following("a", "b", id: id)]))
    #expect(again == Appended(first: 1, last: 1, isRepeat: true))
  }

  @Test(
    "A clone refuses to continue a shared log that lost acknowledged events; push restores them",
    arguments: RemoteKind.allCases)
  func lost(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let log = try await folder.clone(of: remote)
    for number in 0..<8 { try await log.append(Commit([.following("a", "n\(number)")])) }
    // A standby that has the first five only.
    let standbyFolder = ScratchFolder()
    let standby = try await kind.make(standbyFolder)
    let bytes = try await remote.lines(after: 0, limit: .max)
    let some = try RemoteBatch.lines(in: bytes, after: 0, of: "some").prefix(5)
    #expect(try await standby.append(RemoteBatch(after: 0, 0, Array(some))) == .appended)
    let promoted = SwitchedRemote(remote)
    let clone = try await folder.clone(of: promoted, SteppedClock(seed: 2), as: "clone")
    promoted.current = standby
    let fault = LogError.remote(.lost(standby.name, local: 8, remote: 5))
    await #expect(throws: fault) { try await clone.pull() }
    await #expect(throws: fault) { try await clone.append(Commit([.following("x", "y")])) }
    #expect(await clone.head() == 8)
    #expect(try await FileLog.push(folder.path + "/clone", to: promoted) == 3)
    try await clone.append(Commit([.following("x", "y")]))
    #expect(try await standby.head().seq == 9)
    // A shared log with other events after those five has diverged.
    let goneFolder = ScratchFolder()
    let gone = try await kind.make(goneFolder)
    _ = try await gone.append(RemoteBatch(after: 0, 0, Array(some)))
    let third = try await folder.clone(of: gone, SteppedClock(seed: 3), as: "third")
    for number in 0..<7 { try await third.append(Commit([.following("z", "n\(number)")])) }
    promoted.current = gone
    let parted = LogError.remote(.parted(gone.name, common: 5, local: 9, remote: 12))
    await #expect(throws: parted) { try await clone.pull() }
    await #expect(throws: parted) { try await FileLog.push(folder.path + "/clone", to: promoted) }
  }

  @Test("Pushing a whole log makes it a shared log", arguments: RemoteKind.allCases)
  func pushing(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    do {
      let log = try FileLog(
        path: folder.log, creating: true, segmentSize: 4_000, files: .unsynced,
        environment: SteppedClock().environment)
      for number in 0..<40 {
        try await log.append(Commit([.following("a", "n\(number)"), .following("b", "c")]))
      }
    }
    let remote = try await kind.make(folder)
    try Clone.link(folder.log, to: remote.name)
    #expect {
      try FileLog(path: folder.log)
    } throws: {
      ($0 as? LogError)?.remoteFault == .isClone(path: folder.log, of: remote.name)
    }
    await #expect(throws: LogError.remote(.lost(remote.name, local: 80, remote: 0))) {
      try await folder.clone(of: remote)
    }
    let log = try FileLog(path: folder.log, creating: false, files: .unsynced, remote: remote)
    #expect(try await FileLog.push(folder.log, to: remote) == 80)
    #expect(try await FileLog.push(folder.log, to: remote) == 0)
    let other = try await folder.clone(of: remote, as: "other")
    #expect(try lines(other) == lines(log))
  }

  @Test("A clone that is followed receives the events that others append")
  func following() async throws {
    let folder = ScratchFolder()
    let remote = try await RemoteKind.folder.make(folder)
    let one = try await folder.clone(of: remote, as: "one")
    let other = try await folder.clone(of: remote, as: "other")
    let changes = try #require(other.changes())
    var iterator = changes.makeAsyncIterator()
    try await one.append(Commit([.following("a", "b")]))
    _ = await iterator.next()
    #expect(await other.head() == 1)
  }

  @Test(
    "If one clone erases a person, the shared log is rewritten and the other clones copy it",
    arguments: RemoteKind.allCases)
  func rewriting(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let key: UInt64 = 1 << 63 | 9
    do {
      let one = try await folder.clone(of: remote, as: "one")
      for number in 0..<20 {
        try await one.append(
          Commit([.following("ann", "n\(number)"), .following("zoe_zzz", "n\(number)")]))
      }
      let other = try await folder.clone(of: remote, as: "other")
      try Bookmarks(other.view())?.set("here", at: 30)
      let behind = try await folder.clone(of: remote, as: "behind")
      try await other.append(Commit([.following("ann", "bob")]))
      #expect(await behind.head() == 40)
      let use = KeyUse(
        tail: key, body: 7, position: 41, time: RuntimeEnvironment.system.now(),
        answer: #"["zoe_zzz"]"#)
      try await other.append(Commit([], position: 41, use: use))
      #expect(try await remote.uses(of: [key]) == [use])
    }
    // The rewriting is refused, because others have appended since.
    let path = folder.path + "/one"
    let request = ForgettingRequest(people: ["zoe_zzz"])
    do {
      let log = try ForgettableLog(path: path, remote: remote, files: .unsynced)
      let plan = try log.plan(try log.survey(request))
      await #expect(
        throws: LogError.conflict(.init(stream: nil, expected: .exact(40), actual: 41))
      ) { try await log.rewrite(by: plan) }
    }
    #expect(folder.names("one").allSatisfy { !$0.hasSuffix(".new") && $0 != "rewriting" })
    try await folder.clone(of: remote, as: "one").pull()
    let stale = try await folder.clone(of: remote, as: "stale")
    do {
      let log = try ForgettableLog(path: path, remote: remote, files: .unsynced)
      let entry = try await log.rewrite(by: try log.plan(try log.survey(request)))
      #expect(entry?.first == 2)
    }
    #expect(try await remote.head().rewritings == 1)
    // The key is still known, but not the answer, which can name the person.
    let uses = try await remote.uses(of: [key])
    #expect(uses.map(\.position) == [41] && uses.map(\.answer) == [nil])
    // A clone that is already open must be opened again.
    await #expect(throws: LogError.rewritten(path: folder.path + "/stale")) {
      try await stale.append(Commit([.following("ann", "cid")]))
    }
    stale.close()
    let one = try await folder.clone(of: remote, as: "one")
    #expect(await one.head() == 41)
    #expect(try one.view().verify().head.seq == 41)
    for name in ["other", "behind", "stale", "new"] {
      let clone = try await folder.clone(of: remote, as: name)
      #expect(try lines(clone) == lines(one), "\(name)")
      #expect(try clone.view().rewritings() == one.view().rewritings())
      for file in folder.names(name) where file != "lock" {
        let text = String(decoding: folder.bytes(name + "/" + file), as: UTF8.self)
        #expect(!text.contains("zoe_zzz"), "\(name)/\(file)")
      }
      if name == "other" {
        #expect(try clone.view().position(ofBookmark: "here") == 30)
      }
      clone.close()
    }
  }

  @Test("A clone keeps its events if another log, which was rewritten, is in the place of its own")
  func otherLog() async throws {
    let (folder, others) = (ScratchFolder(), ScratchFolder())
    do {
      let log = try await folder.clone(of: try await RemoteKind.folder.make(folder), as: "one")
      for number in 0..<3 { try await log.append(Commit([.following("ann", "n\(number)")])) }
    }
    let other = try await RemoteKind.folder.make(others)
    do {
      let log = try await others.clone(of: other, as: "two")
      for number in 0..<9 {
        var event = NewEvent.following("zoe_zzz", "n\(number)")
        event.time = Timestamp(milliseconds: 4_000_000_000_000)
        try await log.append(Commit([event]))
      }
    }
    let erasure = try ForgettableLog(path: others.path + "/two", remote: other, files: .unsynced)
    let request = ForgettingRequest(people: ["zoe_zzz"])
    #expect(try await erasure.rewrite(by: erasure.plan(erasure.survey(request)))?.first == 1)
    let path = folder.path + "/one"
    let before = try LogView(path: path).allBytes()
    for _ in 0..<2 {
      let replication = RewritingReplication(folder: path, files: .unsynced)
      await #expect(
        throws: LogError.remote(.parted(other.name, common: 0, local: 3, remote: 9))
      ) { try await replication.perform(from: other) }
    }
    #expect(try LogView(path: path).allBytes() == before)
  }

  @Test("A folder without a log and a clone are no remotes, and a clone needs its remote")
  func refusals() async throws {
    let folder = ScratchFolder()
    let remote = try await RemoteKind.folder.make(folder)
    let log = try await folder.clone(of: remote)
    try await log.append(Commit([.following("a", "b")]))
    #expect(throws: LogError.remote(.isClone(path: folder.log, of: remote.name))) {
      try FolderRemote(path: folder.log)
    }
    #expect(throws: LogError.noSuchLog(path: folder.path + "/none")) {
      try FolderRemote(path: folder.path + "/none")
    }
    #expect(throws: LogError.remote(.isClone(path: folder.log, of: remote.name))) {
      try ForgettableLog(path: folder.log)
    }
    // The remote refuses a line that does not continue its log.
    let bytes = try await remote.lines(after: 0, limit: .max)
    var line = try RemoteBatch.lines(in: bytes, after: 0, of: "")[0]
    line.bytes[10] ^= 1
    await #expect(throws: LogError.self) {
      try await remote.append(
        RemoteBatch(after: 1, try #require(try await remote.sum(at: 1)), [line]))
    }
    await #expect(throws: LogError.self) {
      try await FileLog.clone(remote, address: remote.name, to: folder.log)
    }
    #expect(await log.head() == 1)
  }
}
