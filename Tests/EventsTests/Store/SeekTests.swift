import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Lines, times and ranges found by search are those that a full read finds.
@Suite struct SeekTests {
  /// A random log: texts of very different lengths, many equal times, several segments.
  static func random(_ seed: UInt64, _ count: Int) async throws -> (ScratchFolder, [RecordedEvent])
  {
    let folder = ScratchFolder()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 40_000, files: .unsynced)
    var random = SplitMix64(seed: seed)
    var time = SteppedClock.start.milliseconds
    var commits: [Commit] = []
    for number in 0..<count {
      let isLong = Int.random(in: 0..<12, using: &random) == 0
      let length = Int.random(in: 0..<(isLong ? 12_000 : 40), using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        time += Int64.random(in: 0..<4_000, using: &random)
      }
      let text = String(repeating: "x", count: length)
      commits.append(
        Commit([.commenting("c\(number)", text, at: Timestamp(milliseconds: time))]))
    }
    for result in await log.append(commits) { _ = try result.get() }
    return (folder, try await log.all())
  }

  @Test("Each line is found by its position", arguments: [1, 2] as [UInt64])
  func lines(_ seed: UInt64) async throws {
    let (folder, events) = try await Self.random(seed, 250)
    let view = try LogView(path: folder.log)
    #expect(view.segmentCount > 3)
    for event in events {
      let line = try #require(try view.line(at: event.seq))
      #expect(line.event == event)
      #expect(line.bytes == event.line(after: line.previousSum))
      #expect(line.previousSum == (event.seq == 1 ? 0 : events[Int(event.seq) - 2].sum))
    }
    for beyond in [0, 251, 252, 1 << 40, .max] as [UInt64] {
      #expect(try view.line(at: beyond) == nil)
    }
    #expect(try view.head().seq == 250)
    #expect(try view.head().sum == events.last?.sum)
    #expect(try view.head().time == events.last?.time)
  }

  @Test("Reading at given positions returns the existing events, and a changed line is damage")
  func known() async throws {
    let (folder, events) = try await Self.random(5, 250)
    let view = try LogView(path: folder.log)
    var random = SplitMix64(seed: 5)
    for density in [2, 9, 60] {
      let wanted = events.filter { _ in Int.random(in: 0..<density, using: &random) == 0 }
      var (names, found) = (Names(), [KnownEvent]())
      try view.forEachEvent(at: wanted.map(\.seq) + [251, 251, 400], &names) { found.append($0) }
      #expect(found.map(\.moment.seq) == wanted.map(\.seq))
      for (known, event) in zip(found, wanted) {
        #expect(known.moment.time == event.time && known.id == event.id)
        #expect(names[known.actor] == event.actor && known.cause == event.cause)
        #expect(known.event.data(names) == event.data)
      }
    }
    // A changed bit in a line's data makes its sum wrong.
    let target = events[120]
    let segment = try #require(view.segments.last { $0.first <= target.seq })
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: segment.path)))
    let id = try #require(bytes.firstRange(of: Array("\"c120\"".utf8)))
    bytes[id.lowerBound + 2] ^= 1
    try Data(bytes).write(to: URL(filePath: segment.path))
    let damaged = try LogView(path: folder.log)
    var names = Names()
    #expect(throws: LogError.self) {
      try damaged.forEachEvent(at: [3, target.seq, 200], &names) { _ in }
    }
    try damaged.forEachEvent(at: [3, target.seq - 1], &names) { _ in }
  }

  @Test(
    "The position at a time is the position of the last event at or before it",
    arguments: ([3, 4] as [UInt64]).prefix(Sweep.size(1, 2, 2)))
  func times(_ seed: UInt64) async throws {
    let (folder, events) = try await Self.random(seed, 250)
    let view = try LogView(path: folder.log)
    for event in events {
      for offset in [-1, 0, 1, 500] as [Int64] {
        let time = Timestamp(milliseconds: event.time.milliseconds + offset)
        let expected = events.last { $0.time <= time }?.seq ?? 0
        #expect(try view.position(at: time) == expected, "\(time)")
      }
    }
    #expect(try view.position(at: .earliest) == 0)
    #expect(try view.position(at: .latest) == 250)
  }

  @Test("A last line without its line feed is found like any other")
  func unterminated() async throws {
    let (folder, events) = try await Self.random(5, 60)
    let last = try #require(folder.segments.last)
    folder.write(Array(folder.bytes(last).dropLast()), to: last)
    let view = try LogView(path: folder.log)
    #expect(view.tail == .unterminated)
    #expect(try view.line(at: 60)?.event == events.last)
    #expect(try view.line(at: 59)?.event == events[58])
    #expect(try view.position(at: .latest) == 60)
    #expect(try view.head().seq == 60)
    for size in [64, 100, 1_000] { #expect(try view.readCold(chunkSize: size).head.seq == 60) }
    #expect(try view.allEvents() == events)
  }

  @Test("A range has the events after its start up to and including its end, for every pair")
  func ranges() async throws {
    let (folder, events) = try await Self.random(6, 24)
    let view = try LogView(path: folder.log)
    for after in 0...25 as ClosedRange<UInt64> {
      for until in 0...25 as ClosedRange<UInt64> where until >= after {
        let expected = events.filter { $0.seq > after && $0.seq <= until }
        for size in [100, LogView.chunkSize] {
          let chunks = try view.chunks(after: after, until: until, chunkSize: size)
          var consumer = ChunkConsumer(after: try view.head(at: after))
          var names = Names()
          var found: [UInt64] = []
          for chunk in chunks {
            let chunk = try view.scan(chunk, wanted: .all)
            try consumer.consume(chunk, &names) { found += $0.moments.map(\.seq) }
          }
          #expect(found == expected.map(\.seq), "\(after)..\(until) in chunks of \(size)")
        }
        var lines: [RecordedEvent] = []
        try view.forEachLine(after: after, until: until) { line in
          lines.append(line.event)
          return true
        }
        #expect(lines == expected, "\(after)..\(until)")
      }
    }
  }

  @Test("Reading stops when the caller asks, and typed reading stops at a position")
  func stopping() async throws {
    let (folder, events) = try await Self.random(7, 30)
    let view = try LogView(path: folder.log)
    for count in [1, 2, 29, 30] {
      var found: [RecordedEvent] = []
      try view.forEachEvent { event in
        found.append(event)
        return found.count < count
      }
      #expect(found == Array(events.prefix(count)))
    }
    for limit in [0, 1, 15, 30, 31, .max] as [UInt64] {
      var names = Names()
      var found: [UInt64] = []
      var actors: Set<EventActor> = []
      try view.forEachTypedEvent(until: limit, &names) { _, actor, moment in
        found.append(moment.seq)
        actors.insert(actor)
      }
      #expect(found == events.map(\.seq).filter { $0 <= limit })
      #expect(actors.map { names[$0] } == (limit == 0 ? [] : ["carol"]))
    }
  }

  @Test("Statistics count events, types, bytes and segments")
  func statistics() async throws {
    let (folder, events) = try await Self.random(8, 40)
    let view = try LogView(path: folder.log)
    let found = try view.statistics()
    #expect(found.events == 40)
    #expect(found.types == [UnknownType(name: "CommentPosted", version: 1): 40])
    #expect(found.bytes == view.size)
    #expect(found.segments == view.segmentCount)
    #expect(found.first == events.first?.time)
    #expect(found.last == events.last?.time)
  }
}
