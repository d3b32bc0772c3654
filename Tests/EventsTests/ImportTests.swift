import Testing

@testable import Events

@Suite struct ImportTests {
  private let ann =
    #"{"type":"ProfileCreated","time":"2026-01-01T08:00:00.000Z","actor":"ann","#
    + #""data":{"user":"ann","handle":"ann","isPublic":true}}"#
  private func edge(_ time: String, _ followee: String, _ more: String = "") -> String {
    #"{"type":"UserFollowed","time":"\#(time)","actor":"ann"\#(more),"#
      + #""data":{"follower":"ann","followee":"\#(followee)"}}"#
  }
  private let noon = "2026-01-01T12:00:00.000Z"

  /// Imports lines into a log; the report, or the error's sentence.
  private func run(
    _ lines: [String], into log: some EventStore, clamps: Bool = false, ending: String = "\n"
  ) async throws -> (report: Import.Report, error: String?) {
    let folder = Folder()
    folder.write("in.jsonl", Array((lines.joined(separator: "\n") + ending).utf8))
    var policy = ForeignEvents.Policy()
    policy.clampsTimes = clamps
    var run = Import(try ForeignLines(path: folder.path + "/in.jsonl"), policy)
    do throws(ImportError) {
      try await run.run(into: log)
      return (run.report, nil)
    } catch {
      switch error {
      case .log(let error): return (run.report, "\(error)")
      case .forbidden(_, _, let sentence): return (run.report, sentence)
      }
    }
  }

  @Test("Importing a file twice adds nothing; the same line twice in a file is two events")
  func twice() async throws {
    let log = InMemoryLog()
    let lines = [ann, edge(noon, "bob"), edge(noon, "bob"), edge(noon, "cleo")]
    let first = try await run(lines, into: log)
    #expect(first.report.added == 4 && first.error == nil)
    let second = try await run(lines, into: log)
    #expect(second.report.added == 0 && second.report.repeated == 4 && second.error == nil)
    let longer = try await run(lines + [edge(noon, "dov")], into: log, ending: "")
    #expect(longer.report.added == 1 && longer.report.repeated == 4)
    let events = try await log.events()
    #expect(Set(events.map(\.id)).count == 5)
    #expect(events.map(\.rev) == [1, 1, 2, 1, 1])
  }

  @Test("Ids, times, causes, batches and unknown members are kept")
  func kept() async throws {
    let id = "0193b3c0-0000-7000-8000-000000000001"
    let lines = [
      edge(noon, "bob", #","id":"\#(id)","cause":"\#(id)","batch":"1/2","trace":[1, 2]"#),
      edge(noon, "cleo", #","batch":"2/2""#),
    ]
    let log = InMemoryLog()
    #expect(try await run(lines, into: log).error == nil)
    let events = try await log.events()
    #expect("\(events[0].id)" == id && events[0].cause == events[0].id)
    #expect(events.map(\.batch?.index) == [1, 2])
    #expect(events[0].time == Timestamp(noon))
    #expect(String(decoding: events[0].extra, as: UTF8.self) == #","trace":[1, 2]"#)
  }

  @Test("An exported log, imported into an empty one, is the same bytes")
  func exported() async throws {
    let log = InMemoryLog(Laboratory().surroundings)
    for number in 0..<30 {
      try await log.append(Commit([follow("a", "n\(number)"), follow("b", "n\(number % 7)")]))
    }
    var lines: [String] = []
    try log.view().forEachLine { line in
      lines.append(String(decoding: line.bytes, as: UTF8.self))
      return true
    }
    let copy = InMemoryLog()
    #expect(try await run(lines, into: copy).error == nil)
    #expect(try await copy.events() == log.events())
    var forged = lines
    forged[3] = forged[3].replacingOccurrences(of: "n1", with: "n9")
    #expect(try await run(forged, into: InMemoryLog()).error?.contains("line 4") == true)
  }

  @Test("Times that go back are refused by line, or clamped")
  func times() async throws {
    let lines = [edge(noon, "bob"), edge("2026-01-01T11:59:59.999Z", "cleo")]
    let log = InMemoryLog()
    let refused = try await run(lines, into: log)
    #expect(refused.error?.contains("line 2") == true)
    #expect(refused.report.added == 1)
    let clamped = try await run(lines, into: log, clamps: true)
    #expect(clamped.error == nil && clamped.report.clamped == 1)
    #expect(clamped.report.added == 1 && clamped.report.repeated == 1)
    #expect(try await log.events().map(\.time).allSatisfy { $0 == Timestamp(noon) })
    let earlier = [edge("2025-01-01T00:00:00.000Z", "zoe")]
    #expect(try await run(earlier, into: log).error?.contains("line 1") == true)
    #expect(try await run(earlier, into: log, clamps: true).report.added == 1)
  }

  @Test("A wrong line is named; what came before it stays, and the mended file adds the rest")
  func wrongLine() async throws {
    let log = InMemoryLog()
    let broken = [ann, edge(noon, "bob"), #"{"type":"UserFollowed"}"#, edge(noon, "cleo")]
    let result = try await run(broken, into: log)
    #expect(result.error?.contains("line 3") == true)
    #expect(result.report.added == 2)
    let mended = try await run([ann, edge(noon, "bob"), edge(noon, "cleo")], into: log)
    #expect(mended.report.added == 1 && mended.report.repeated == 2)
  }

  @Test(
    "Claimed positions, revisions and batches are checked",
    arguments: [
      (#","seq":2"#, "seq"), (#","rev":2"#, "line 1"), (#","batch":"2/2""#, "batch"),
      (#","batch":"1/2""#, "batch"), (#","stream":"follow/bob/ann""#, "stream"),
    ])
  func claims(_ more: String, _ word: String) async throws {
    let result = try await run([edge(noon, "bob", more)], into: InMemoryLog())
    #expect(result.error?.contains(word) == true, "\(result.error ?? "no error")")
    #expect(result.report.added == 0)
  }

  @Test("A lone file is read as a log: what it leaves out is filled in")
  func unsealed() throws {
    let folder = Folder()
    folder.write(
      "x.jsonl",
      Array(
        (#"{"data":{"follower":"a","followee":"b"},"actor":"a","type":"UserFollowed"}"# + "\r\n"
          + edge(noon, "bob") + "\n" + edge(noon, "bob")).utf8))
    let view = try LogView.unsealed(path: folder.path + "/x.jsonl")
    #expect(try view.verify().head.seq == 3)
    var events: [RecordedEvent] = []
    try view.forEachEvent { event in
      events.append(event)
      return true
    }
    #expect(events.map(\.time) == [.epoch, Timestamp(noon)!, Timestamp(noon)!])
    #expect(events.map(\.stream) == ["follow/a/b", "follow/ann/bob", "follow/ann/bob"])
    #expect(events.map(\.rev) == [1, 1, 2])
    #expect(Set(events.map(\.id)).count == 3)
  }

  @Test("Revisions are read and resolved as people write them")
  func revisions() async throws {
    let log = InMemoryLog()
    for number in 0..<10 {
      var event = follow("a", "n\(number)", id: eventID(UInt64(number)))
      event.time = Timestamp(milliseconds: Int64(number) * 1_000)
      try await log.append(Commit([event]))
    }
    let view = log.view()
    func at(_ text: String) throws -> UInt64 { try #require(Revision(text)).resolve(in: view) }
    #expect(try at("0") == 0)
    #expect(try at("7") == 7)
    #expect(try at("HEAD") == 10)
    #expect(try at("HEAD~3") == 7)
    #expect(try at("HEAD~10") == 0)
    #expect(try at("50%") == 5)
    #expect(try at("100%") == 10)
    #expect(try at("@1970-01-01T00:00:04.999Z") == 5)
    #expect(try at("@1969-12-31") == 0)
    #expect(try at("@2030-01-01T00:00:00+02:00") == 10)
    #expect(try at("\(eventID(3))") == 4)
    for text in ["11", "HEAD~11", "\(eventID(99))"] {
      #expect(throws: LogError.self) { try at(text) }
    }
    for text in ["", "x", "-1", "+1", "HEAD~", "HEAD~x", "101%", "@", "@noon", "1.5", "head"] {
      #expect(Revision(text) == nil, "\(text)")
    }
    #expect(RevisionRange("2..5") == RevisionRange(from: .position(2), to: .position(5)))
    #expect(RevisionRange("..5") == RevisionRange(from: .position(0), to: .position(5)))
    #expect(RevisionRange("2..") == RevisionRange(from: .position(2), to: .head(minus: 0)))
    #expect(RevisionRange("2...5") == nil)
  }
}
