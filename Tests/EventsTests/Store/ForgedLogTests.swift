import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Logs with right sums and wrong content, as a faulty program or somebody who can compute sums
/// leaves them.
@Suite struct ForgedLogTests {
  /// Seven events, the last three in one commit.
  static func events() async throws -> [RecordedEvent] {
    let log = InMemoryLog(SteppedClock().environment)
    for number in 0..<4 { try await log.append(Commit([.following("a", "n\(number)")])) }
    try await log.append(Commit((0..<3).map { .following("b", "n\($0)") }))
    return await log.read(after: 0, limit: .max)
  }

  /// The segments of these events, with correct sums.
  static func sealed(_ segments: [[RecordedEvent]]) -> MemoryFiles {
    var files: [String: [UInt8]] = [:]
    var (sum, first): (UInt64, UInt64) = (0, 1)
    for events in segments {
      var out = ByteBuffer()
      for event in events { sum = out.appendLine(event, after: sum) }
      files[SegmentName.make(first)] = out.array
      first += UInt64(events.count)
    }
    return MemoryFiles(files)
  }

  enum Forgery: CaseIterable, Sendable {
    case revision, time, position, batchTooShort, batchWithoutStart, batchOfOthers, batchAcross
    case stream, member, longID

    /// Returns the forged events, in segments, and the position at which `verify` finds the
    /// forgery.
    func apply(_ events: [RecordedEvent]) -> (segments: [[RecordedEvent]], seq: UInt64) {
      var events = events
      switch self {
      case .revision:
        events[2].rev = 7
        return ([events], 3)
      case .time:
        events[3].time = .epoch
        return ([events], 4)
      case .position:
        events[2].seq = 9
        return ([events], 3)
      case .batchTooShort:
        events[6].batch = nil
        return ([events], 7)
      case .batchWithoutStart:
        events[4].batch = nil
        return ([events], 6)
      case .batchOfOthers:
        events[5].batch = Batch(index: 2, count: 4)
        return ([events], 6)
      case .batchAcross: return ([Array(events[..<5]), Array(events[5...])], 6)
      case .stream:
        events[1].stream = "follow/x/y"
        return ([events], 2)
      case .member:
        events[1].data = Array(#"{"follower":"a","followee":"n1","more":1}"#.utf8)
        return ([events], 2)
      case .longID:
        events[1].actor = String(repeating: "a", count: 129)
        return ([events], 2)
      }
    }
  }

  @Test(
    "verify finds and names wrong content with a right sum",
    arguments: Forgery.allCases)
  func verify(_ forgery: Forgery) async throws {
    let events = try await Self.events()
    let whole = Self.sealed([events])
    #expect(try whole.view.verify().head.seq == 7)
    let (segments, seq) = forgery.apply(events)
    let files = Self.sealed(segments)
    let found = damage { _ = try files.view.verify() }
    #expect(found?.seq == seq, "\(forgery): \(String(describing: found))")
    #expect(found.map { !"\($0)".isEmpty } == true)
  }

  @Test("Every reading finds positions and times that go back, for every chunk size")
  func everyReading() async throws {
    let events = try await Self.events()
    for forgery in [Forgery.time, .position] {
      let (segments, seq) = forgery.apply(events)
      for chunkSize in [64, 200, 300, 1_000, 100_000] {
        for wanted in [EventTypes.all, []] {
          let found = damage {
            _ = try Self.sealed(segments).view.readCold(wanted, chunkSize: chunkSize)
          }
          #expect(found?.seq == seq, "\(forgery), chunks of \(chunkSize)")
        }
      }
    }
  }

  @Test("A line without a sum at its end is reported as such")
  func noSum() async throws {
    let events = try await Self.events()
    let files = Self.sealed([Array(events[..<2])])
    let bytes = try files.view.allBytes()
    let lines = bytes.split(separator: 0x0a).map(Array.init)
    let last = Array(lines[1].dropLast(26)) + [0x7d, 0x0a]
    for place in 0...1 {
      let rest = place == 0 ? lines[0] + [0x0a] : []
      let changed = MemoryFiles([SegmentName.make(1): lines[0] + [0x0a] + last + rest])
      let found = damage { _ = try changed.view.verify() }
      #expect(found?.seq == 2, "\(place)")
      #expect(found.map { "\($0.fault)".contains("in its sum") } == true, "\(place): \(found!)")
    }
  }

  @Test("Each error has its own sentence")
  func words() {
    let kinds: [LineFault.Kind] = [
      .wrongSequence(expected: 3),
      .partOfLog(expected: 3), .timeGoesBack, .wrongRevision(expected: 2), .brokenBatch, .wrongSum,
      .duplicateID,
    ]
    let words = kinds.map { "\(LineFault($0))" }
    #expect(Set(words).count == kinds.count)
    #expect(words.allSatisfy { $0.count > 8 && !$0.contains("LineFault") }, "\(words)")
    let errors: [LogError] = [
      .notImported(file: "f", line: 3, reason: "r"), .closed(reason: "r"),
      .conflict(Conflict(stream: "s", expected: .any, actual: 1)),
      .conflict(Conflict(stream: "s", expected: .streamExists, actual: 0)),
      .conflict(Conflict(stream: "s", expected: .noStream, actual: 2)),
      .damaged(Damage(file: "f", line: 0, offset: 0, seq: 1, fault: LineFault(.wrongSum))),
    ]
    let sentences = errors.map { "\($0)" }
    #expect(Set(sentences).count == errors.count, "\(sentences)")
  }

  @Test("The description of a recovery says what was found")
  func recoveries() async throws {
    var told: [String] = []
    for tail in 0..<3 {
      let folder = ScratchFolder()
      do {
        let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
        try await log.append(Commit((0..<3).map { .following("b", "n\($0)") }))
        try await log.append(Commit((3..<6).map { .following("b", "n\($0)") }))
      }
      let name = folder.segments[0]
      let bytes = folder.bytes(name)
      let lines = bytes.split(separator: 0x0a).map { Array($0) + [0x0a] }
      switch tail {
      case 0: folder.write(Array(bytes.dropLast()), to: name)
      case 1: folder.write(bytes + Array("torn".utf8), to: name)
      default: folder.write(Array(lines[..<5].joined()), to: name)
      }
      let log = try FileLog(path: folder.log, files: .unsynced)
      let recovery = try #require(log.recovery)
      told.append("\(recovery)")
      #expect(await log.head() == (tail == 2 ? 3 : 6))
    }
    #expect(told[0].contains("lacked its line feed"))
    #expect(told[1].contains("torn tail of 4 bytes"))
    #expect(told[2].contains("first 2 events of an unfinished commit"))
  }

  @Test("A read-only log at a position gives the same answers as other stores up to that position")
  func readOnly() async throws {
    let memory = InMemoryLog(SteppedClock().environment)
    for number in 0..<6 { try await memory.append(Commit([.following("a", "n\(number % 2)")])) }
    let log = try ReadOnlyLog(memory.view(), until: 4)
    #expect(try await log.head() == 4)
    let all = await memory.read(after: 0, limit: .max)
    #expect(try await log.read(after: 1, limit: 2) == Array(all[1..<3]))
    #expect(try await log.read(after: 3, limit: 9) == [all[3]])
    #expect(try await log.read(after: 4, limit: 9).isEmpty)
    #expect(try await log.read(stream: "follow/a/n0", after: 1) == [all[2]])
    #expect(await log.append([]).isEmpty)
    let refused = await log.append([Commit([.following("c", "d")])])
    #expect(throws: LogError.self) { try refused[0].get() }
  }
}
