import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Opening a log for writing with a checkpoint of its index: it gives the same answers as a full
/// read, even if the checkpoint is damaged or missing.
@Suite struct OpeningTests {
  /// Commits to a dozen streams, most with ids, some repeated, some with expectations.
  static func commits(_ count: Int, _ random: inout SplitMix64, ids: inout UInt64) -> [Commit] {
    var made: [Commit] = []
    for _ in 0..<count {
      if !made.isEmpty, Int.random(in: 0..<5, using: &random) == 0 {
        let earlier = made[Int.random(in: made.indices, using: &random)]
        made.append(earlier)
        continue
      }
      let events = (0..<Int.random(in: 1...3, using: &random)).map { _ -> NewEvent in
        // Occasionally the id of another event.
        let isOld = ids > 0 && Int.random(in: 0..<12, using: &random) == 0
        let number = isOld ? UInt64.random(in: 1...ids, using: &random) : ids + 1
        ids = max(ids, number)
        let id = Int.random(in: 0..<4, using: &random) == 0 ? nil : EventID.numbered(number)
        return .following("a", "n\(Int.random(in: 0..<12, using: &random))", id: id)
      }
      var commit = Commit(events)
      if Bool.random(using: &random) {
        let expected: [ExpectedRevision] = [
          .any, .noStream, .streamExists, .exact(UInt64.random(in: 0...6, using: &random)),
        ]
        let stream = "follow/a/n\(Int.random(in: 0..<13, using: &random))"
        commit.expecting = [.init(stream, expected.randomElement(using: &random) ?? .any)]
      }
      made.append(commit)
    }
    return made
  }

  static func open(
    _ disk: SimulatedDisk, _ hashing: WriterIndex.Hashing = .init(), seed: UInt64 = 1
  ) throws -> FileLog {
    try FileLog(
      path: "/log", creating: true, segmentSize: 9_000, files: disk.files,
      environment: SteppedClock(seed: seed).environment, hashing: hashing)
  }

  /// A copy of a disk's files, with or without the checkpoints.
  static func copy(_ disk: SimulatedDisk, checkpoints: Bool) -> SimulatedDisk {
    let copy = SimulatedDisk()
    copy.makeFolder("/log")
    if checkpoints { copy.makeFolder("/log/checkpoints") }
    for path in disk.paths where checkpoints || !path.contains("checkpoint") {
      copy[path] = disk[path]
    }
    return copy
  }

  static func checkpoint(_ disk: SimulatedDisk) -> String? {
    let found = disk.paths.filter { $0.hasPrefix("/log/checkpoints/writer-") }
    #expect(found.count < 2, "\(found)")
    return found.first
  }

  static func base(_ log: FileLog) -> UInt64 { log.state.withLock { $0.index.base.position } }

  /// Checks that two logs, when opened, give the same answers to appends and queries.
  static func expectAlike(
    _ one: SimulatedDisk, _ other: SimulatedDisk, _ commits: [Commit], _ what: String
  ) async throws {
    do {
      let (a, b) = (try open(one, seed: 9), try open(other, seed: 9))
      #expect(a.recovery == b.recovery, "\(what)")
      for group in commits {
        let (found, expected) = (await a.append([group]), await b.append([group]))
        #expect(found == expected, "\(what): \(group)")
      }
      for stream in [0, 3, 7, 12].map({ "follow/a/n\($0)" }) {
        for after in [0, 3] as [UInt64] {
          let found = try await a.read(stream: stream, after: after)
          #expect(try await found == b.read(stream: stream, after: after), "\(what): \(stream)")
        }
      }
      #expect(try await a.all() == b.all(), "\(what)")
    }
    for path in other.paths where path.hasSuffix(".jsonl") {
      #expect(one[path] == other[path], "\(what): \(path)")
    }
    _ = try LogView(path: "/log", files: one.files).verify()
  }

  @Test(
    "A log opened with a checkpoint answers like one read whole, at any end of the log",
    arguments: [32, 4, 1] as [UInt32])
  func sameAsFromScratch(bits: UInt32) async throws {
    for seed in 0..<UInt64(Sweep.size(4, 24, 1_000)) {
      var random = SplitMix64(seed: seed)
      var ids: UInt64 = 0
      let disk = SimulatedDisk()
      let all = Self.commits(60, &random, ids: &ids)
      let sessions = Int.random(in: 1...3, using: &random)
      for session in 0..<sessions {
        let log = try Self.open(disk, .init(seed: seed, bits: bits), seed: UInt64(session))
        let part = all[session * 60 / sessions..<(session + 1) * 60 / sessions]
        let place = Int.random(in: 0...part.count, using: &random)
        for commit in part.prefix(place) { _ = await log.append([commit]) }
        try log.saveCheckpoint()
        for commit in part.dropFirst(place) { _ = await log.append([commit]) }
      }
      let isCut = Bool.random(using: &random)
      if isCut, let last = disk.paths.last(where: { $0.hasSuffix(".jsonl") }) {
        let bytes = disk[last] ?? []
        disk[last] = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      }
      let plain = Self.copy(disk, checkpoints: false)
      if !isCut, let path = Self.checkpoint(disk) {
        let log = try Self.open(Self.copy(disk, checkpoints: true))
        #expect(path.contains("\(Self.base(log)).3-"))
        #expect(log.state.withLock { $0.index.base.hashing.bits } == bits)
      }
      // Some of the commits that are already there, and new ones.
      let more = all.shuffled(using: &random).prefix(20) + Self.commits(30, &random, ids: &ids)
      try await Self.expectAlike(disk, plain, Array(more), "seed \(seed), \(bits) bits")
    }
  }

  @Test("A checkpoint of another log, or of events that were lost, is ignored")
  func foreign() async throws {
    let (disk, other) = (SimulatedDisk(), SimulatedDisk())
    for (disk, name) in [(disk, "a"), (other, "b")] {
      let log = try Self.open(disk)
      for number in 0..<30 { try await log.append(Commit([.following(name, "n\(number % 7)")])) }
      try log.saveCheckpoint()
    }
    let path = try #require(Self.checkpoint(disk))
    #expect(path == Self.checkpoint(other))
    let own = disk[path]
    disk[path] = other[path]
    #expect(try Self.base(Self.open(disk)) == 0)
    disk[path] = own
    #expect(try Self.base(Self.open(disk)) == 30)
    // The log loses its last events, and others take their places.
    let segment = try #require(disk.paths.last { $0.hasSuffix(".jsonl") })
    let view = try LogView(path: "/log", files: disk.files)
    let end = try #require(try view.address(of: 29)?.offset)
    disk[segment] = Array((disk[segment] ?? []).prefix(end))
    do {
      let log = try Self.open(disk)
      #expect(Self.base(log) == 0)
      try await log.append(
        Commit([.following("a", "n0")], expecting: [.init("follow/a/n0", .exact(4))]))
      try await log.append(Commit([.following("c", "d")]))
    }
    let log = try Self.open(disk)
    #expect(Self.base(log) == 0)
    #expect(await log.head() == 30)
    try await log.append(
      Commit([.following("a", "n0")], expecting: [.init("follow/a/n0", .exact(5))]))
  }

  @Test("If writing a checkpoint is killed at any call, the log opens with the last or the new one")
  func killed() async throws {
    let disk = SimulatedDisk()
    do {
      let log = try Self.open(disk)
      for number in 0..<40 { try await log.append(Commit([.following("a", "n\(number % 9)")])) }
      try log.saveCheckpoint()
      try await log.append(Commit([.following("a", "n0")]))
    }
    let whole = Self.copy(disk, checkpoints: true)
    let log = try Self.open(whole)
    whole.begin()
    try log.saveCheckpoint()
    let calls = whole.calls
    #expect(calls > 10)
    for call in 1...calls {
      let copy = Self.copy(disk, checkpoints: true)
      let log = try Self.open(copy)
      copy.begin { _, _, number in number >= call ? .init(code: 5, part: 0.5) : nil }
      _ = try? log.saveCheckpoint()
      copy.begin()
      copy.closeAll()
      do {
        let again = try Self.open(copy)
        #expect([40, 41].contains(Self.base(again)), "call \(call)")
        try await again.append(
          Commit([.following("a", "n0")], expecting: [.init("follow/a/n0", .exact(6))]))
        try again.saveCheckpoint()
      }
      #expect(copy.paths.allSatisfy { !$0.hasSuffix(".tmp") }, "call \(call)")
      #expect(try Self.base(Self.open(copy)) == 42)
    }
  }

  static func fill(_ log: FileLog, _ count: Int) async throws {
    let head = Int(await log.head())
    let commits = (head..<head + count).map {
      Commit([.following("a", "n\($0 % 5_000)", id: .numbered(UInt64($0)))])
    }
    for result in await log.append(commits) { _ = try result.get() }
  }

  @Test("A closed log leaves a checkpoint if enough events are new, and only the last one stays")
  func leftBehind() async throws {
    let disk = SimulatedDisk()
    try await Self.fill(Self.open(disk), 9_999)
    #expect(Self.checkpoint(disk) == nil)
    try await Self.fill(Self.open(disk), 1)
    #expect(Self.checkpoint(disk)?.hasPrefix("/log/checkpoints/writer-0000000000010000.") == true)
    try await Self.fill(Self.open(disk), 9_999)
    #expect(Self.checkpoint(disk)?.hasPrefix("/log/checkpoints/writer-0000000000010000.") == true)
    let log = try Self.open(disk)
    #expect(Self.base(log) == 10_000)
    try await Self.fill(log, 5)
    #expect(log.isCheckpointDue)
    #expect(try log.saveCheckpoint())
    #expect(try !log.saveCheckpoint(), "nothing is new")
    #expect(!log.isCheckpointDue)
    #expect(Self.checkpoint(disk)?.hasPrefix("/log/checkpoints/writer-0000000000020004.") == true)
    #expect(WriterIndex.isCheckpointDue(at: 1_700_000, last: 1_593_750))
    #expect(!WriterIndex.isCheckpointDue(at: 1_700_000, last: 1_593_751))
  }

  @Test("If checkpoints cannot be written, nothing else fails")
  func notWritable() async throws {
    let disk = SimulatedDisk()
    disk.begin { _, path, _ in path.contains("checkpoints") ? .init(code: 13) : nil }
    do {
      let log = try Self.open(disk)
      try await Self.fill(log, 10_001)
      #expect(log.isCheckpointDue)
      #expect(throws: LogError.self) { try log.saveCheckpoint() }
      try await log.append(Commit([.following("a", "b")]))
    }
    #expect(disk.openFiles == 0)
    let log = try Self.open(disk)
    #expect(await log.head() == 10_002)
  }

  @Test("With a checkpoint, opening a long log and appending read only a few pages")
  func readsLittle() async throws {
    let (folder, disk) = (ScratchFolder(), WatchedDisk())
    do {
      let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
      try await Self.fill(log, 50_000)
    }
    do {
      let log = try FileLog(path: folder.log, files: disk.files)
      let commits = [7, 49_999, 77_777].map {
        Commit([.following("a", "n\($0 % 5_000)", id: .numbered(UInt64($0)))])
      }
      let results = try await log.append(commits).map { try $0.get() }
      #expect(results.map(\.isRepeat) == [true, true, false])
      #expect(try await log.read(stream: "follow/a/n2777", after: 9).map(\.rev) == [10, 11])
    }
    #expect(disk.count(.read) < 100, "\(disk.count(.read)) reads")
  }
}
