import FaultTesting
import Testing

@testable import EventLog
@testable import Events

@Suite struct CorrelationTests {
  @Test("An id has 1 to 64 letters, digits, full stops, underscores and hyphens")
  func form() {
    for text in ["a", "Z", "0", "req-1.2_3", String(repeating: "x", count: 64)] {
      #expect(CorrelationID(text)?.text == text)
    }
    for text in ["", " ", "a b", "é", "a/b", "a\"", "a\n", String(repeating: "x", count: 65)] {
      #expect(CorrelationID(text) == nil, "\(text)")
    }
  }

  @Test("A line's id is read by every reader, and is right before the checksum")
  func reading() throws {
    var names = Names()
    for full in [true, false] {
      for event in try CodecTests.samples(&names, full: full) {
        let new = NewEvent(event, actor: "alice", names: names)
        let recorded = RecordedEvent(
          seq: 1, time: .epoch, type: new.type, version: new.version, stream: new.stream, rev: 1,
          actor: "alice", id: .numbered(1), data: new.data,
          extra: full ? Array(#","trace":{"a":1}"#.utf8) : [],
          correlation: CorrelationID("req-1"), sum: 0)
        let line = recorded.line(after: 0)
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.contains(#","correlation":"req-1","sum":""#))
        for takesShortcut in [true, false] {
          var parser = LineParser(takesShortcut: takesShortcut)
          let parsed = try parser.parse(line, names: &names).line
          #expect(parsed.correlation?.text == "req-1")
          #expect(parsed.extra == recorded.extra)
          #expect(RecordedEvent(parsed)?.line(after: 0) == line)
        }
        line.withUnsafeBufferPointer { bytes in
          let found = LineHead.correlation(bytes).map { String(decoding: $0, as: UTF8.self) }
          #expect(found == "req-1")
        }
        guard !full else { continue }
        var plain = recorded
        plain.correlation = nil
        let isFast = [line, plain.line(after: 0)].map { line in
          line.withUnsafeBufferPointer { LineParser.known($0, &names) != nil }
        }
        #expect(isFast[0] == isFast[1], "the fast reader takes it as it takes a line without id")
      }
    }
  }

  @Test(
    "A field of another form is kept like an unknown field",
    arguments: [
      #""correlation":1"#, #""correlation":"two words""#, #""correlation":null"#,
      #""correlation":"""#, #""correlation":{"correlation":"x"}"#,
    ])
  func otherForms(field: String) throws {
    let rest = #""type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"b"}"#
    let line = "{\(rest),\(field)}"
    var (parser, names) = (LineParser(), Names())
    let parsed = try parser.parse(Array(line.utf8), names: &names).line
    #expect(parsed.correlation == nil)
    #expect(String(decoding: parsed.extra, as: UTF8.self) == "," + field)
    // An id anywhere in an imported line moves to its place.
    let other = #"{"correlation":"c","x":1,\#(rest)}"#
    let moved = try parser.parse(Array(other.utf8), names: &names).line
    #expect(moved.correlation?.text == "c")
    #expect(String(decoding: moved.extra, as: UTF8.self) == #","x":1"#)
  }

  @Test("A request's events are found, whatever checkpoints the log has")
  func finding() async throws {
    for seed in 0..<Sweep.size(5, 15, 2_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let disk = SimulatedDisk()
      // With few bits, different ids have the same hash.
      let hashing = WriterIndex.Hashing(seed: UInt64(seed), bits: seed % 2 == 0 ? 32 : 3)
      var expected: [String: [UInt64]] = [:]
      var head: UInt64 = 0
      for _ in 0..<4 {
        let log = try OpeningTests.open(disk, hashing, seed: UInt64(seed))
        for _ in 0..<20 {
          let id = "r\(Int.random(in: 0..<12, using: &random))"
          let events = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            var event = NewEvent.following("a", "n\(Int.random(in: 0..<9, using: &random))")
            if id != "r0" { event.correlation = CorrelationID(id) }
            return event
          }
          try await log.append(Commit(events))
          if id != "r0" { expected[id, default: []] += head + 1...head + UInt64(events.count) }
          head += UInt64(events.count)
          if Int.random(in: 0..<25, using: &random) == 0 { try log.saveCheckpoint() }
        }
        if Bool.random(using: &random) { try log.saveCheckpoint() }
        log.close()
        let view = try LogView(path: "/log", files: disk.files)
        for number in 0..<13 {
          let id = "r\(number)"
          let found = try view.positions(of: try #require(CorrelationID(id)))
          #expect(found == expected[id] ?? [], "\(id), seed \(seed)")
        }
      }
    }
  }

  @Test("A repeated append with another id is the same append")
  func retry() async throws {
    let log = InMemoryLog()
    var event = NewEvent.following("a", "b", id: .numbered(1))
    event.correlation = CorrelationID("first")
    let first = try await log.append(Commit([event]))
    event.correlation = CorrelationID("second")
    let again = try await log.append(Commit([event]))
    #expect(again.isRepeat && again.first == first.first)
    #expect(await log.read(after: 0, limit: 9).map(\.correlation?.text) == ["first"])
  }
}
