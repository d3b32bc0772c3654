import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Faults 1 to 4 and 21: the end of a log after a crash, recovered when the log is opened.
@Suite struct TailCutTests {
  enum Ending: CaseIterable { case singles, batch, batchAfterRoll }

  /// A log whose last segment holds `lines`, each with its line feed.
  struct Original {
    var files: [(name: String, bytes: [UInt8])]
    var events: [RecordedEvent]
    /// The number of events before the last segment.
    var before: Int
    var lines: [[UInt8]]

    var last: (name: String, bytes: [UInt8]) { files[files.count - 1] }
  }

  static func make(_ ending: Ending) async throws -> Original {
    let folder = ScratchFolder()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 1_200, files: .unsynced,
      environment: SteppedClock(seed: 9).environment)
    for number in 0..<(ending == .batchAfterRoll ? 4 : 8) {
      try await log.append(Commit([.following("a", "n\(number)")]))
    }
    if ending != .singles {
      try await log.append(Commit((0..<3).map { .following("b", "n\($0)") }))
    }
    let files = folder.segments.map { ($0, folder.bytes($0)) }
    let lines = files[files.count - 1].1.split(separator: 0x0a).map { Array($0) + [0x0a] }
    let events = try await log.all()
    return Original(
      files: files, events: events, before: events.count - lines.count, lines: lines)
  }

  /// The expected remainder of `lines` if only `size` of their bytes exist.
  static func expected(
    _ original: Original, _ size: Int
  ) -> (events: Int, end: Int, tail: LogView.Tail) {
    var (whole, end) = (0, 0)
    for line in original.lines where end + line.count <= size {
      whole += 1
      end += line.count
    }
    var tail: LogView.Tail = size > end ? .torn(bytes: size - end) : .none
    if size > end, whole < original.lines.count, size == end + original.lines[whole].count - 1 {
      whole += 1
      end = size
      tail = .unterminated
    }
    guard whole > 0, let batch = original.events[original.before + whole - 1].batch,
      batch.index < batch.count
    else { return (original.before + whole, end, tail) }
    let first = whole - batch.index
    let start = original.lines[..<first].reduce(0) { $0 + $1.count }
    return (
      original.before + first, start,
      .unfinishedBatch(events: batch.index, bytes: size - start)
    )
  }

  @Test(
    "faults 1, 2, 21: a log cut at any byte of its last lines loses no earlier event",
    arguments: Ending.allCases)
  func everyCut(_ ending: Ending) async throws {
    let original = try await Self.make(ending)
    #expect(original.files.count > 1)
    #expect(original.lines.count >= 3)
    let (name, bytes) = original.last
    let size = original.lines.reduce(0) { $0 + $1.count }
    let from = original.lines.dropLast(3).reduce(0) { $0 + $1.count }
    for cut in stride(from: size - 1, through: from, by: -Sweep.size(3, 1, 1)) {
      let (count, end, tail) = Self.expected(original, cut)
      let folder = ScratchFolder()
      folder.makeFolder("log")
      for (name, bytes) in original.files { folder.write(bytes, to: name) }
      folder.write(Array(bytes[..<cut]), to: name)
      let view = try LogView(path: folder.log)
      #expect(view.tail == tail, "cut at \(cut)")
      #expect(try view.verify().head.seq == UInt64(count), "cut at \(cut)")
      let log = try FileLog(path: folder.log, segmentSize: 1_200, files: .unsynced)
      let recovery = log.recovery
      #expect(recovery?.tail ?? .none == tail, "cut at \(cut)")
      #expect(await log.head() == UInt64(count))
      try await log.append(Commit([.following("z", "z")]))
      let after = try LogView(path: folder.log)
      #expect(after.tail == .none)
      #expect(try after.verify().head.seq == UInt64(count) + 1)
      #expect(try after.allEvents().dropLast() == original.events[..<count], "cut at \(cut)")
      // Every byte still exists: in the log, or aside under a name with its original place.
      let aside = "log/recovered/\(name.dropFirst(4).prefix(16))-\(end).bytes"
      let isCut = end < cut
      #expect(folder.names("log/recovered").count == (isCut ? 1 : 0), "cut at \(cut)")
      #expect(folder.bytes(aside) == (isCut ? Array(bytes[end..<cut]) : []), "cut at \(cut)")
      #expect(recovery?.kept == (isCut ? folder.path + "/" + aside : nil))
      if tail != .none { #expect(recovery?.offset == end) }
    }
  }

  @Test("faults 1, 2, 5, 21: a log cut at any byte is readable up to there, and a gap is found")
  func everyByte() async throws {
    let (files, head) = try await BitFlipTests.reference()
    let names = files.keys.sorted()
    var events: [RecordedEvent] = []
    try MemoryFiles(files).view.forEachEvent { event in
      events.append(event)
      return true
    }
    var (before, cuts) = (0, 0)
    for (place, name) in names.enumerated() {
      let bytes = files[name] ?? []
      for cut in stride(from: place, to: bytes.count, by: Sweep.size(3, 1, 1)) {
        // A line that lacks only its line feed counts.
        var count = before + bytes[..<cut].count { $0 == 0x0a }
        if bytes[cut] == 0x0a { count += 1 }
        if let batch = count > 0 ? events[count - 1].batch : nil, batch.index < batch.count {
          count -= batch.index
        }
        let memory = MemoryFiles(files)
        memory.set(name, Array(bytes[..<cut]))
        if place < names.count - 1 {
          #expect(BitFlipTests.Way.verify.finds(memory, head), "\(name) cut at \(cut)")
        }
        var rest = files.filter { $0.key <= name }
        rest[name] = Array(bytes[..<cut])
        let found = try MemoryFiles(rest).view.verify().head.seq
        #expect(found == UInt64(count), "all after byte \(cut) of \(name) is lost")
        cuts += 1
      }
      before += bytes.count { $0 == 0x0a }
    }
    Sweep.tally("bytes at which a log was cut, read up to there", cuts)
  }

  @Test("faults 1: a torn tail that parses as JSON is an event only if its sum is right")
  func parsingTail() async throws {
    let original = try await Self.make(.singles)
    let next = RecordedEvent(
      seq: UInt64(original.events.count) + 1, time: .latest, type: "UserFollowed", version: 1,
      stream: "follow/x/y", rev: 1, actor: "x", id: .numbered(77),
      data: Array(#"{"follower":"x","followee":"y"}"#.utf8), sum: 0)
    let sealed = next.line(after: original.events.last?.sum ?? 0)
    // A line sealed after another line than the last one, or not sealed.
    let wrong = next.line(after: 1)
    let open = Array(sealed.dropLast(26)) + Array("}".utf8)
    for (tail, isRead) in [(sealed, true), (wrong, false), (open, false)] {
      let folder = ScratchFolder()
      folder.makeFolder("log")
      for (name, bytes) in original.files { folder.write(bytes, to: name) }
      folder.write(original.last.bytes + tail, to: original.last.name)
      let view = try LogView(path: folder.log)
      #expect(view.tail == (isRead ? .unterminated : .torn(bytes: tail.count)))
      let log = try FileLog(path: folder.log, files: .unsynced)
      #expect(await log.head() == UInt64(original.events.count + (isRead ? 1 : 0)))
      let feed: [UInt8] = [0x0a]
      #expect(
        folder.bytes(original.last.name) == original.last.bytes + (isRead ? tail + feed : []))
    }
  }

  @Test("faults 3, 4: NUL bytes and garbage after the last line feed are moved aside whole")
  func garbage() async throws {
    var random = SplitMix64(seed: 4)
    var tails: [[UInt8]] = [1, 7, 512, 4_096, 70_000].map { Array(repeating: 0, count: $0) }
    for count in [1, 25, 26, 27, 300, 5_000] {
      tails.append((0..<count).map { _ in UInt8.random(in: 11...255, using: &random) })
    }
    tails += [
      Array("{".utf8), Array(#","sum":"0000000000000000"}"#.utf8), [0x0d], [0xef, 0xbb, 0xbf],
    ]
    for ending in Ending.allCases {
      let original = try await Self.make(ending)
      for tail in tails {
        let folder = ScratchFolder()
        folder.makeFolder("log")
        for (name, bytes) in original.files { folder.write(bytes, to: name) }
        folder.write(original.last.bytes + tail, to: original.last.name)
        #expect(try LogView(path: folder.log).tail == .torn(bytes: tail.count))
        #expect(try LogView(path: folder.log).allEvents() == original.events)
        do {
          let log = try FileLog(path: folder.log, files: .unsynced)
          #expect(log.recovery?.tail == .torn(bytes: tail.count))
          #expect(
            log.recovery?.kept.map { folder.bytes(String($0.dropFirst(folder.path.count))) } == tail
          )
          #expect(folder.bytes(original.last.name) == original.last.bytes)
          try await log.append(Commit([.following("z", "z")]))
        }
        #expect(
          try LogView(path: folder.log).verify().head.seq == UInt64(original.events.count) + 1)
        #expect(try FileLog(path: folder.log, files: .unsynced).recovery == nil)
      }
    }
  }

  @Test("Every tail that is moved aside at the same place is kept")
  func keptEachTime() async throws {
    let original = try await Self.make(.singles)
    let folder = ScratchFolder()
    folder.makeFolder("log")
    for (name, bytes) in original.files { folder.write(bytes, to: name) }
    for number in 0..<5 {
      folder.write(original.last.bytes + Array("tail \(number)".utf8), to: original.last.name)
      _ = try FileLog(path: folder.log, files: .unsynced)
    }
    let kept = folder.names("log/recovered").map { folder.bytes("log/recovered/" + $0) }
    let texts = kept.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.sorted() == (0..<5).map { "tail \($0)" })
  }

  @Test(
    "faults 28: reader and writer treat an empty folder and a segment of 0 bytes as an empty log")
  func emptyLog() async throws {
    for segment in [nil, SegmentName.make(1)] {
      let folder = ScratchFolder()
      folder.makeFolder("log")
      if let segment { folder.write([], to: "log/" + segment) }
      let view = try LogView(path: folder.log)
      #expect(view.tail == .none)
      #expect(try view.verify() == LogView.Verification(segments: segment == nil ? 0 : 1))
      #expect(try view.head() == LogHead())
      #expect(try view.line(at: 1) == nil)
      #expect(try view.position(at: .latest) == 0)
      #expect(try view.readCold().events.isEmpty)
      let log = try FileLog(path: folder.log, files: .unsynced)
      #expect(log.recovery == nil)
      try await log.append(Commit([.following("a", "b")]))
      #expect(try LogView(path: folder.log).verify().head.seq == 1)
      #expect(folder.segments == ["log/" + SegmentName.make(1)])
    }
  }
}
