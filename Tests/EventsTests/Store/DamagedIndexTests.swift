import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// A damaged checkpoint of the writer's index, or a damaged log with an intact checkpoint: no
/// append gets a wrong answer.
@Suite struct DamagedIndexTests {
  @Test("If any block of a checkpoint is damaged, appends get the same answers as without it")
  func damagedBlocks() async throws {
    var random = SplitMix64(seed: 3)
    var ids: UInt64 = 0
    let disk = SimulatedDisk()
    let all = OpeningTests.commits(500, &random, ids: &ids)
    do {
      let log = try OpeningTests.open(disk)
      for commit in all { _ = await log.append([commit]) }
      try log.saveCheckpoint()
    }
    let plain = OpeningTests.copy(disk, checkpoints: false)
    let path = try #require(OpeningTests.checkpoint(disk))
    let bytes = try #require(disk[path])
    #expect(bytes.count > 6_000)
    var rebuilt = 0
    let step = Sweep.size(1_019, 257, 29)
    for place in stride(from: 3, to: bytes.count, by: step) {
      let damaged = OpeningTests.copy(disk, checkpoints: true)
      damaged[path]?[place] ^= 0x10
      let new = OpeningTests.commits(5, &random, ids: &ids)
      let more = Array(all.shuffled(using: &random).prefix(20)) + new
      let other = OpeningTests.copy(plain, checkpoints: false)
      try await OpeningTests.expectAlike(damaged, other, more, "byte \(place)")
      // The next checkpoint can be written and is correct.
      do {
        let log = try OpeningTests.open(damaged)
        if OpeningTests.base(log) == 0 { rebuilt += 1 }
        #expect(try log.saveCheckpoint() || OpeningTests.base(log) > 0)
      }
      _ = try LogView(path: "/log", files: damaged.files).verify()
    }
    #expect(rebuilt > 0, "the header is damaged at times")
  }

  @Test("Planned events that are not yet written survive the discovery of a damaged block")
  func damagedWhilePlanned() async throws {
    var random = SplitMix64(seed: 5)
    var ids: UInt64 = 0
    let disk = SimulatedDisk()
    let all = OpeningTests.commits(700, &random, ids: &ids)
    do {
      let log = try OpeningTests.open(disk)
      for commit in all { _ = await log.append([commit]) }
      try log.saveCheckpoint()
    }
    let path = try #require(OpeningTests.checkpoint(disk))
    let more = OpeningTests.commits(15, &random, ids: &ids) + all.suffix(15)
    func plan(_ disk: SimulatedDisk) throws -> [[Result<Appended, LogError>]] {
      var state = try WriterState(
        try LogView(path: "/log", files: disk.files), segmentSize: 9_000)
      let environment = SteppedClock(seed: 3).environment
      return more.map { state.plan([$0], environment).results }
    }
    let expected = try plan(OpeningTests.copy(disk, checkpoints: false))
    for place in stride(from: 600, to: try #require(disk[path]).count, by: 2_039) {
      let damaged = OpeningTests.copy(disk, checkpoints: true)
      damaged[path]?[place] ^= 1
      #expect(try plan(damaged) == expected, "byte \(place)")
    }
  }

  @Test("If the previous checkpoint is damaged, the next one is built from the log")
  func damagedBase() async throws {
    var random = SplitMix64(seed: 4)
    var ids: UInt64 = 0
    let disk = SimulatedDisk()
    let all = OpeningTests.commits(400, &random, ids: &ids)
    do {
      let log = try OpeningTests.open(disk)
      for commit in all { _ = await log.append([commit]) }
      try log.saveCheckpoint()
    }
    let path = try #require(OpeningTests.checkpoint(disk))
    let middle = try #require(disk[path]).count / 2
    disk[path]?[middle] ^= 1
    do {
      let log = try OpeningTests.open(disk)
      #expect(OpeningTests.base(log) > 0)
      try await log.append(Commit([.following("z", "z")]))
      #expect(try log.saveCheckpoint())
    }
    let log = try OpeningTests.open(disk)
    #expect(OpeningTests.base(log) == log.state.withLock { $0.durable.seq })
    for commit in all.prefix(50) { _ = await log.append([commit]) }
    #expect(log.state.withLock { $0.index.base.file?.isDamaged } == false)
  }

  @Test("If the log is damaged at the line that an append needs, the append is refused")
  func damagedLog() async throws {
    let disk = SimulatedDisk()
    do {
      let log = try OpeningTests.open(disk)
      for number in 0..<20 {
        try await log.append(Commit([.following("a", "n\(number)", id: .numbered(UInt64(number)))]))
      }
      try log.saveCheckpoint()
    }
    let segment = try #require(disk.paths.first { $0.hasSuffix(".jsonl") })
    let line = try LogView(path: "/log", files: disk.files).address(of: 5)
    disk[segment]?[try #require(line).offset + 150] ^= 1
    let log = try OpeningTests.open(disk)
    let commits = [
      Commit([.following("a", "n4")]), Commit([.following("a", "n4", id: .numbered(4))]),
      Commit([], expecting: [.init("follow/a/n4", .exact(1))]),
    ]
    for commit in commits {
      let result = await log.append([commit])
      guard case .failure(.damaged(let damage))? = result.first else {
        Issue.record("\(result)")
        continue
      }
      #expect(damage.seq == 5)
    }
    try await log.append(Commit([.following("a", "n3")]))
  }
}
