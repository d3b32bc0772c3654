import Testing

@testable import EventLog
@testable import Events

/// Unsealed lines: the optional members, the errors, and the line that an error names.
@Suite struct UnsealedTests {
  private let folder = ScratchFolder()

  private func view(_ text: String, _ policy: ForeignEvents.Policy = .init()) throws -> LogView {
    folder.write(Array(text.utf8), to: "in.jsonl")
    return try LogView.unsealed(path: folder.path + "/in.jsonl", policy: policy)
  }

  @Test("An unsealed file is read with its missing members filled in, and then verifies")
  func filledIn() throws {
    let time = #""time":"2026-01-01T00:00:00.000Z","#
    let text =
      ImportingTests.line("a", "b") + ImportingTests.line("a", "c", time)
      + ImportingTests.line("a", "b")
    for ending in ["\n", "\r\n"] {
      for keepsLast in [true, false] {
        var input = text.replacing("\n", with: ending)
        if !keepsLast { input.removeLast(1) }
        let events = try view(input).allEvents()
        #expect(events.map(\.seq) == [1, 2, 3])
        #expect(events.map(\.rev) == [1, 1, 2])
        #expect(events.map(\.stream) == ["follow/a/b", "follow/a/c", "follow/a/b"])
        #expect(events[0].time == .epoch)
        #expect(events[2].time == events[1].time)
        #expect(Set(events.map(\.id)).count == 3)
        #expect(try view(input).verify().head.sum == events[2].sum)
        #expect(events == (try view(text).allEvents()), "line endings change no event")
      }
    }
    #expect(try view("").verify().head == LogHead())
  }

  @Test("A sealed file read as an unsealed one stays the same, and its chain is checked")
  func sealedFile() async throws {
    let store = InMemoryLog(SteppedClock().environment)
    for number in 0..<6 {
      try await store.append(Commit([.following("a", "n\(number)"), .following("b", "c")]))
    }
    let bytes = try store.view().allBytes()
    let text = String(decoding: bytes, as: UTF8.self)
    let copy = try view(text).allBytes()
    #expect(copy == bytes)
    var random = SplitMix64(seed: 7)
    for _ in 0..<60 {
      var flipped = bytes
      let byte = Int.random(in: 0..<bytes.count - 1, using: &random)
      flipped[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      folder.write(flipped, to: "flipped.jsonl")
      let line = bytes[..<byte].count { $0 == 0x0a } + 1
      // A line without its seq or sum counts as unsealed, which is no error here.
      let changed = String(decoding: flipped.split(separator: 0x0a)[line - 1], as: UTF8.self)
      guard changed.contains("\"seq\":"), changed.contains("\"sum\":") else { continue }
      let found = damage { _ = try LogView.unsealed(path: folder.path + "/flipped.jsonl") }
      #expect(found?.line == line, "byte \(byte)")
    }
  }

  @Test(
    "The error names a wrong line's file, line, offset and fault",
    arguments: [
      ("\n", LineFault.Kind.blankLine), ("{}\r{}\n", .carriageReturn),
      (ImportingTests.line("a", "b", #""seq":7,"#), .partOfLog(expected: 3)),
      (ImportingTests.line("a", "b", #""rev":7,"#), .wrongRevision(expected: 2)),
      (
        ImportingTests.line("a", "b", #""stream":"follow/x/y","#),
        .wrongStream(expected: "follow/a/b")
      ),
      (ImportingTests.line("a", "b", #""batch":"2/2","#), .brokenBatch),
      (ImportingTests.line("a", "b", #""batch":"1/2","#), .brokenBatch),
      (
        ImportingTests.line("a", "b", #""batch":"1/2","#) + ImportingTests.line("a", "b"),
        .brokenBatch
      ),
      (
        ImportingTests.line("a", "b", #""time":"1999-01-01T00:00:00.000Z","#),
        .earlier(
          time: Timestamp("1999-01-01T00:00:00.000Z")!, than: Timestamp("2026-01-01T00:00:00.000Z")!
        )
      ),
      (#"{"type":"Strange","actor":"a","data":{}}"# + "\n", .unknownType("Strange")),
      (
        #"{"type":"UserFollowed","v":9,"actor":"a","data":{}}"# + "\n",
        .unknownVersion(type: "UserFollowed", version: 9)
      ),
    ])
  func wrong(_ lines: String, _ fault: LineFault.Kind) throws {
    let first = ImportingTests.line("a", "b", #""time":"2026-01-01T00:00:00.000Z","#)
    let before = first + ImportingTests.line("a", "c")
    let found = damage { _ = try view(before + lines) }
    let isSecond = lines.utf8.count { $0 == 0x0a } > 1
    let extra =
      isSecond
      ? (lines.utf8.firstIndex(of: 0x0a).map {
        lines.utf8.distance(from: lines.utf8.startIndex, to: $0) + 1
      } ?? 0) : 0
    #expect(found?.fault.kind == fault)
    #expect(found?.line == (isSecond ? 4 : 3))
    #expect(found?.offset == before.utf8.count + extra)
    #expect(found?.file.hasSuffix("/in.jsonl") == true)
  }

  @Test("Events of unknown types are kept on request")
  func unknownKept() throws {
    var policy = ForeignEvents.Policy()
    policy.keepsUnknown = true
    let strange = #"{"type":"Strange","actor":"a","stream":"odd/a","data":{ "x" : 1 }}"# + "\n"
    let events = try view(strange + ImportingTests.line("a", "b"), policy).allEvents()
    #expect(events.map(\.type) == ["Strange", "UserFollowed"])
    #expect(events[0].stream == "odd/a")
    let nowhere = #"{"type":"Strange","actor":"a","data":{}}"# + "\n"
    #expect(
      damage { _ = try view(nowhere, policy) }?.fault == LineFault(.missingMember, path: "stream"))
  }

  @Test("Times before 1970 that go back are refused or clamped like any others")
  func before1970() throws {
    let text =
      ImportingTests.line("a", "b")
      + ImportingTests.line("a", "c", #""time":"1969-01-01T00:00:00.000Z","#)
    let early = try #require(Timestamp("1969-01-01T00:00:00.000Z"))
    #expect(damage { _ = try view(text) }?.fault.kind == .earlier(time: early, than: .epoch))
    let clamped = try view(text, ImportingTests.clamping())
    #expect(try clamped.verify().head.seq == 2)
  }

  @Test("An import that fails in a full group tries nothing twice and counts nothing twice")
  func failedGroup() async throws {
    let store = InMemoryLog()
    var text = ""
    for number in 0..<Import.groupSize + 5 {
      text += ImportingTests.line("a", "b", number == 4 ? #""rev":99,"# : "")
    }
    let (report, error) = try await ImportingTests.run(text, into: store)
    #expect(report == Import.Report(added: 4))
    guard case .log(.notImported(_, 5, _)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("faults 22: a path that is not a file of lines has its own error")
  func noFile() {
    folder.makeFolder("folder")
    let path = folder.path
    #expect { try LogView.unsealed(path: path + "/no") } throws: {
      guard case LogError.file(let error) = $0 else { return false }
      return error.isNotFound
    }
    #expect { try LogView.unsealed(path: path + "/folder") } throws: {
      guard case LogError.notALog = $0 else { return false }
      return true
    }
  }

  @Test("faults 39: a line over the maximal length is refused without being kept in memory")
  func longLine() {
    let long = #"{"type":""# + String(repeating: "x", count: LineParser.longestLine) + "\n"
    let found = damage { _ = try view(ImportingTests.line("a", "b") + long) }
    #expect(found?.fault.kind == .tooLong(limit: LineParser.longestLine))
    #expect(found?.line == 2)
  }
}
