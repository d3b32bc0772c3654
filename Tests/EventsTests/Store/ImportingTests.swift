import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Sealing foreign lines into a log.
@Suite struct ImportingTests {
  /// Imports a text; returns the report and the error that ended it.
  static func run(
    _ text: String, into store: some EventStore, _ policy: ForeignEvents.Policy = .init()
  ) async throws -> (report: Import.Report, error: ImportError?) {
    let folder = ScratchFolder()
    folder.write(Array(text.utf8), to: "in.jsonl")
    var job = Import(try ForeignLines(path: folder.path + "/in.jsonl"), policy)
    do throws(ImportError) {
      try await job.run(into: store)
      return (job.report, nil)
    } catch {
      return (job.report, error)
    }
  }

  /// A line with the members that every line needs, and `more` before them.
  static func line(_ from: String, _ to: String, _ more: String = "") -> String {
    #"{\#(more)"type":"UserFollowed","actor":"\#(from)","data":{"follower":"\#(from)","#
      + #""followee":"\#(to)"}}"# + "\n"
  }

  static func clamped(_ count: Int, line: Int, by: Int64) -> Import.Clamped {
    var clamped = Import.Clamped()
    (clamped.count, clamped.firstLine) = (count, line)
    (clamped.furthest, clamped.furthestLine) = (by, line)
    return clamped
  }

  static func clamping() -> ForeignEvents.Policy {
    var policy = ForeignEvents.Policy()
    policy.clampsTimes = true
    return policy
  }

  @Test("A minimal line becomes an event of 1970 with a derived stream and an id from its bytes")
  func minimal() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let text = Self.line("a", "b") + Self.line("a", "c") + Self.line("a", "b")
      let (report, error) = try await Self.run(text, into: store)
      #expect(error == nil)
      #expect(report == Import.Report(added: 3))
      let events = try await store.all()
      #expect(events.map(\.stream) == ["follow/a/b", "follow/a/c", "follow/a/b"])
      #expect(events.map(\.rev) == [1, 1, 2])
      #expect(events.allSatisfy { $0.time == .epoch && $0.version == 1 && $0.batch == nil })
      #expect(Set(events.map(\.id)).count == 3, "the same line twice is two events")
      #expect(try store.view().verify().head.seq == 3)
    }
  }

  @Test("Importing a file twice, or a longer version of it, adds only the new events")
  func twice() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let time = #""time":"2026-01-01T00:00:00.000Z","#
      var text = Self.line("a", "b") + Self.line("a", "b", time) + Self.line("a", "c")
      #expect(try await Self.run(text, into: store).report == Import.Report(added: 3))
      #expect(try await Self.run(text, into: store).report == Import.Report(repeated: 3))
      text += Self.line("a", "b") + Self.line("x", "y")
      let longer = try await Self.run(text.replacing("\n", with: "\r\n"), into: store)
      #expect(longer.report == Import.Report(added: 2, repeated: 3))
      #expect(longer.error == nil)
      #expect(try await store.head() == 5)
      let clamped = try await Self.run(text, into: store, Self.clamping())
      #expect(clamped.report.repeated == 5)
      #expect(clamped.report.added == 0)
    }
  }

  private static let post =
    #""type":"WorkoutShared","actor":"a","data":{"workout":"w","owner":"a","#
    + #""date":"2026-01-01T00:00:00Z","isErgTest":false,"text":"hello"}}"# + "\n"
  private static let row =
    #""type":"WorkoutShared","actor":"a","data":{"owner":"a","workout":"v","localID":"l","#
    + #""date":"2026-01-01T00:00:00Z","workoutType":"2k","totalTime":"07:00.0","#
    + #""totalDistance":2000,"averageSplit":"01:45.0","isErgTest":false}}"# + "\n"

  @Test("A line without a version has its type's present one, and the report counts such lines")
  func withoutVersion() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let text = "{" + Self.post + "{" + Self.row + Self.line("a", "b")
      let (report, error) = try await Self.run(text, into: store)
      #expect(error == nil)
      var expected = Import.Report(added: 3)
      expected.assumedVersions = [.workoutShared: 2]
      #expect(report == expected)
      #expect(try await store.all().map(\.version) == [2, 2, 1])
      let stated = Self.row.replacing(#""workout":"v""#, with: #""workout":"x""#)
      let old = try await Self.run(#"{"v":1,"# + stated, into: store)
      #expect(old.report == Import.Report(added: 1))
      #expect(try await store.all().last?.version == 1)
    }
  }

  @Test("The error for a line of version 1 that lacks a member names the version")
  func wrongVersion() async throws {
    let (_, error) = try await Self.run(#"{"v":1,"# + Self.post, into: StoreKind.memory.make())
    guard case .log(.damaged(let damage))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      "\(damage.fault)".hasPrefix(
        "data.localID: this member is missing, and version 1 of the event requires it; 'v' states"))
  }

  @Test("A file that an earlier release imported as version 1 adds nothing")
  func earlierRelease() async throws {
    let folder = ScratchFolder()
    folder.write(Array(("{" + Self.row).utf8), to: "in.jsonl")
    var lines = ForeignEvents(try ForeignLines(path: folder.path + "/in.jsonl"))
    var names = Names()
    let id = try #require(try lines.next(&names)?.new.id)
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let old = try await Self.run(#"{"v":1,"id":"\#(id)","# + Self.row, into: store)
      #expect(old.report == Import.Report(added: 1))
      let again = try await Self.run("{" + Self.row, into: store)
      #expect(again.error == nil)
      #expect((again.report.added, again.report.repeated) == (0, 1))
    }
  }

  @Test("Ids, times, causes, batches and unknown members are kept")
  func kept() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let (one, two) = (EventID.numbered(1), EventID.numbered(2))
      let when = "2026-01-19T09:00:00.123Z"
      let text =
        Self.line("a", "b", #""id":"\#(one)","time":"\#(when)","batch":"1/2","#)
        + Self.line("a", "c", #""cause":"\#(one)","batch":"2/2","trace":[1, 2],"id":"\#(two)","#)
      let (report, error) = try await Self.run(text, into: store)
      #expect(error == nil)
      #expect(report == Import.Report(added: 2))
      let events = try await store.all()
      #expect(events.map(\.id) == [one, two])
      #expect(events.map(\.cause) == [nil, one])
      #expect(events.map(\.time.description) == [when, when])
      #expect(events.map(\.batch) == [Batch(index: 1, count: 2), Batch(index: 2, count: 2)])
      #expect(String(decoding: events[1].extra, as: UTF8.self) == #","trace":[1, 2]"#)
    }
  }

  @Test("Importing an exported log reproduces it byte for byte")
  func reproduced() async throws {
    let original = InMemoryLog(SteppedClock(seed: 3).environment)
    for number in 0..<20 {
      let events = (0...number % 4).map { place in
        NewEvent.commenting("c\(number)-\(place)", "\u{1F9D7} \"\(number)\"")
      }
      try await original.append(Commit(events))
    }
    let bytes = try original.view().allBytes()
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(try await Self.run(text, into: store).error == nil)
      let copy = try store.view().allBytes()
      #expect(copy == bytes, "\(kind)")
    }
  }

  @Test(
    "A line's revision must match the log; the error names the line, and earlier lines are kept")
  func claims() async throws {
    for (claims, isRight) in [
      ([1, 2, 3], true), ([1, nil, 3], true), ([2], false), ([1, 1], false), ([1, 2, 4], false),
    ] as [([Int?], Bool)] {
      let store = InMemoryLog()
      let text = claims.map { claim in
        Self.line("a", "b", claim.map { #""rev":\#($0),"# } ?? "")
      }
      let (report, error) = try await Self.run(text.joined(), into: store)
      #expect(report.added == (isRight ? claims.count : claims.count - 1))
      #expect(await store.head() == UInt64(report.added))
      guard !isRight else {
        #expect(error == nil)
        continue
      }
      guard case .log(.notImported(let file, let line, let reason)) = error else {
        Issue.record("\(claims): \(String(describing: error))")
        continue
      }
      #expect(file.hasSuffix("in.jsonl"))
      #expect(line == claims.count)
      #expect(reason.contains("follow/a/b"))
    }
  }

  @Test("Revisions within a commit of several events must match the log too")
  func claimsInBatches() async throws {
    for (first, second, isRight) in [(1, 2, true), (7, 8, false), (1, 7, false), (1, 1, false)] {
      let store = InMemoryLog()
      let text =
        Self.line("a", "b", #""rev":\#(first),"batch":"1/2","#)
        + Self.line("a", "b", #""rev":\#(second),"batch":"2/2","#)
      let (report, error) = try await Self.run(text, into: store)
      #expect(report.added == (isRight ? 2 : 0), "rev \(first) and \(second)")
      #expect((error == nil) == isRight, "rev \(first) and \(second)")
    }
  }

  @Test("An import into a log on disk stops at a refused line, and adds the lines before it")
  func refusedLine() async throws {
    let count = 3 * Import.groupSize
    for wrong in [Import.groupSize - 1, Import.groupSize, 2 * Import.groupSize + 7] {
      let text = (0..<count).map { number in
        Self.line("a", "n\(number)", number == wrong ? #""rev":9,"# : "")
      }
      let folder = ScratchFolder()
      let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
      let (report, error) = try await Self.run(text.joined(), into: log)
      #expect(report == Import.Report(added: wrong))
      guard case .log(.notImported(_, wrong + 1, _)) = error else {
        Issue.record("line \(wrong + 1): \(String(describing: error))")
        continue
      }
      #expect(await log.head() == UInt64(wrong))
    }
  }

  @Test("Times out of order are refused by line, or clamped and counted on request")
  func times() async throws {
    func at(_ second: Int) -> String { #""time":"2026-01-01T00:00:0\#(second).000Z","# }
    let text = [2, 3, 1, 4].map { Self.line("a", "n\($0)", at($0)) }.joined()
    let strict = InMemoryLog()
    let (report, error) = try await Self.run(text, into: strict)
    #expect(report.added == 0, "so that it can still be sorted")
    guard case .log(.damaged(let damage)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(damage.line == 3)
    let (early, last) = (
      Timestamp("2026-01-01T00:00:01.000Z")!, Timestamp("2026-01-01T00:00:03.000Z")!
    )
    #expect(damage.fault.kind == .earlier(time: early, than: last))
    let lenient = InMemoryLog()
    let clamped = try await Self.run(text, into: lenient, Self.clamping())
    #expect(clamped.error == nil)
    #expect(clamped.report == Import.Report(added: 4, clamped: Self.clamped(1, line: 3, by: 2_000)))
    #expect(
      await lenient.read(after: 0, limit: 9).map(\.time.description.utf8.count) == [24, 24, 24, 24])
    #expect(try lenient.view().verify().head.seq == 4)
    // A time before the log's own last event.
    let late = InMemoryLog()
    try await late.append(Commit([.following("x", "y", at: .latest)]))
    let refused = try await Self.run(Self.line("a", "b", at(1)), into: late)
    guard case .beforeLog(1, _, early, .latest) = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
    #expect(
      try await Self.run(Self.line("a", "b", at(1)), into: late, Self.clamping()).report.clamped
        .count == 1)
    #expect(await late.read(after: 1, limit: 1).first?.time == .latest)
  }
}
