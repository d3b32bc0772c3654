import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Parts of one log appended to another, like `export R.. | import -`.
@Suite struct LogPartTests {
  private let folder = ScratchFolder()

  /// A log with commits of one to five events and small segments.
  private func makeSource(_ commits: Int = 30) async throws -> LogView {
    let log = try FileLog(
      path: folder.path + "/source", creating: true, segmentSize: 3_000, files: .unsynced,
      environment: SteppedClock(seed: 5).environment)
    for number in 0..<commits {
      try await log.append(
        Commit((0...number % 5).map { .commenting("c\(number)-\($0)", "\u{1F9D7} \(number)") }))
    }
    return log.view()
  }

  private func open(_ name: String, segmentSize: Int = 5_000) throws -> FileLog {
    try FileLog(
      path: folder.path + "/" + name, creating: true, segmentSize: segmentSize, files: .unsynced)
  }

  private func lines(_ view: LogView, after: UInt64, until: UInt64 = .max) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try view.forEachLine(after: after, until: until) { line in
      if line.event.seq > until { return false }
      found.append(line.bytes)
      return true
    }
    return found
  }

  private func append(
    _ lines: [[UInt8]], to log: FileLog, _ policy: ForeignEvents.Policy = .init()
  ) async throws -> (report: Import.Report, error: ImportError?) {
    folder.write(lines.flatMap { $0 + [0x0a] }, to: "part.jsonl")
    var part = LogPart(try ForeignLines(path: folder.path + "/part.jsonl"), policy)
    do throws(ImportError) {
      try await part.append(to: log)
      return (part.report, nil)
    } catch {
      return (part.report, error)
    }
  }

  @Test("Appending the missing events to a copy that ends at a commit gives the same log")
  func continues() async throws {
    let source = try await makeSource()
    let head = try source.head()
    let all = try lines(source, after: 0)
    var ends: [Int] = []
    try source.forEachEvent { event in
      if event.batch?.index == event.batch?.count { ends.append(Int(event.seq)) }
      return true
    }
    for end in ends.dropLast() where end % 3 == 0 {
      let log = try open("copy-\(end)")
      #expect(try await append(Array(all[..<end]), to: log).report.added == end)
      let (report, error) = try await append(Array(all[end...]), to: log)
      #expect(error == nil && report == Import.Report(added: all.count - end))
      #expect(try log.view().head() == head)
      #expect(try log.view().allBytes() == source.allBytes())
      #expect(try LogView(path: folder.path + "/copy-\(end)").verify().head == head)
      // The log continues, and knows the ids of the imported events.
      let again = try await append(Array(all[1...]), to: log)
      #expect(again.error == nil && again.report == Import.Report(repeated: all.count - 1))
      try await log.append(Commit([.following("x", "y")]))
    }
  }

  @Test("A line that is not in canonical form is kept unchanged")
  func keptAsItIs() async throws {
    let first = NewEvent.following("a", "b", id: .numbered(1), at: SteppedClock.start)
    let log = try open("log")
    try await log.append(Commit([first]))
    let body = """
      { "type" : "UserFollowed", "seq":2, "time":"2026-02-01T00:00:00.000Z", "v":1, "rev":1, \
      "id":"019BD569-2A80-7000-8000-00000000000A", "stream":"follow\\/a\\/c", "actor":"a", \
      "data":{"followee":"c","follower":"a"}
      """
    let sum = XXH64.hash(Array(body.utf8), seed: try log.view().head().sum)
    let digits = String(sum, radix: 16)
    let line =
      body + #","sum":"\#(String(repeating: "0", count: 16 - digits.count))\#(digits)"}"#
    #expect(LogPart.begins(with: Array(line.utf8)))
    let (report, error) = try await append([Array(line.utf8)], to: log)
    #expect(error == nil && report.added == 1)
    #expect(try lines(log.view(), after: 1) == [Array(line.utf8)])
    #expect(try LogView(path: folder.path + "/log").verify().head.sum == sum)
  }

  @Test("A part that does not fit is refused with the point of divergence or the missing events")
  func misfits() async throws {
    let source = try await makeSource()
    let all = try lines(source, after: 0)
    let log = try open("log")
    let start = Array(all[..<21])
    #expect(try await append(start, to: log).error == nil)
    let name = folder.path + "/part.jsonl"
    let gap = try await append(Array(all[24...]), to: log)
    #expect(gap.error == .noPart(line: 1, file: name, .gap(first: 25, head: 21)))
    let other = try open("other")
    try await other.append(Commit([.following("a", "b")]))
    let foreign = try await append(Array(all[1...]), to: other)
    #expect(foreign.error == .noPart(line: 1, file: name, .doesNotFollow(seq: 2)))
    try await log.append(Commit([.following("a", "b")]))
    let parted = try await append(Array(all[15...]), to: log)
    #expect(parted.error == .noPart(line: 7, file: name, .differs(seq: 22)))
    #expect(parted.report == Import.Report(repeated: 6))
    #expect(await log.head() == 22)
  }

  @Test("Edited, missing, swapped and torn lines are refused by line; earlier lines are kept")
  func damaged() async throws {
    let source = try await makeSource(8)
    let all = try lines(source, after: 0)
    let edits: [(String, Int, ([[UInt8]]) -> [[UInt8]])] = [
      (
        "edited", 9,
        {
          var lines = $0
          lines[8][60] ^= 1
          return lines
        }
      ),
      ("missing", 9, { Array($0[..<8] + $0[9...]) }),
      (
        "swapped", 9,
        {
          var lines = $0
          lines.swapAt(8, 9)
          return lines
        }
      ),
      ("doubled", 10, { Array($0[...8] + $0[8...]) }),
      ("torn", 9, { Array($0[..<8]) + [Array($0[8].dropLast(5))] }),
      ("half a commit", 13, { Array($0[..<13]) }),
    ]
    for (what, line, edit) in edits {
      let log = try open(what)
      #expect(try await append(Array(all[..<1]), to: log).error == nil)
      let (report, error) = try await append(edit(Array(all[1...])), to: log)
      guard case .log(.damaged(let damage)) = error else {
        Issue.record("\(what): \(String(describing: error))")
        continue
      }
      #expect(damage.line == line, "\(what)")
      let head = try log.view().head()
      #expect(Int(head.seq) == 1 + report.added && report.added > 0, "\(what)")
      #expect(
        try log.view().allBytes()
          == lines(source, after: 0, until: head.seq).flatMap { $0 + [0x0a] })
      #expect(try await append(Array(all[1...]), to: log).error == nil, "\(what), then whole")
      #expect(try log.view().head() == source.head(), "\(what), then whole")
    }
  }

  @Test("Impossible lines with right sums and events of unknown type are refused")
  func forged() async throws {
    let log = try open("log")
    try await log.append(Commit([.following("a", "b", at: SteppedClock.start)]))
    let head = try log.view().head()
    var event = RecordedEvent(
      seq: 2, time: head.time, type: "UserFollowed", version: 1, stream: "follow/a/c", rev: 1,
      actor: "a", id: .numbered(9), cause: nil, batch: nil,
      data: Array(#"{"follower":"a","followee":"c"}"#.utf8), sum: 0)
    let right = event
    func refused(_ policy: ForeignEvents.Policy = .init()) async throws -> Bool {
      try await append([event.line(after: head.sum)], to: log, policy).error != nil
    }
    event.rev = 2
    #expect(try await refused())
    (event, event.time) = (right, Timestamp(milliseconds: head.time.milliseconds - 1))
    #expect(try await refused())
    (event, event.batch) = (right, Batch(index: 2, count: 2))
    #expect(try await refused())
    (event, event.type) = (right, "Strange")
    #expect(try await refused())
    #expect(await log.head() == 1)
    var keeping = ForeignEvents.Policy()
    keeping.keepsUnknown = true
    #expect(try await !refused(keeping))
    #expect(try LogView(path: folder.path + "/log").verify().head.seq == 2)
  }
}
