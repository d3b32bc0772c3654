import Testing

@testable import EventLog
@testable import Events

/// The ways to name a log's revision, and their positions.
@Suite struct RevisionTests {
  @Test("Each way of naming a revision is read")
  func parsing() {
    let time = Timestamp(milliseconds: 1_769_860_800_000)
    let id = EventID.numbered(5)
    let cases: [(String, Revision)] = [
      ("0", .position(0)), ("1234", .position(1_234)), ("007", .position(7)),
      ("\(UInt64.max)", .position(.max)), ("HEAD", .head(minus: 0)), ("HEAD~0", .head(minus: 0)),
      ("HEAD~3", .head(minus: 3)), ("@2026-01-31T12:00:00Z", .time(time)),
      ("@2026-01-31T12:00:00.000Z", .time(time)), ("@2026-01-31T13:00:00+01:00", .time(time)),
      ("@2026-01-31", .time(Timestamp(milliseconds: time.milliseconds - 43_200_000))),
      ("50%", .percent(50)), ("0%", .percent(0)), ("100%", .percent(100)),
      ("12.5%", .percent(12.5)), ("\(id)", .id(id)), ("\(id)".uppercased(), .id(id)),
    ]
    for (text, revision) in cases { #expect(Revision(text) == revision, "\(text)") }
  }

  @Test(
    "A text that names no revision is refused",
    arguments: [
      "", " ", "-1", "+1", "1.5", "1 ", " 1", "18446744073709551616", "head", "HEAD~", "HEAD~-1",
      "HEAD~x", "HEAD^", "HEAD~1~1", "@", "@2026", "@2026-02-30", "@2026-01-31T12:00:00", "@now",
      "%",
      "-1%", "101%", "x%", "nan%", "inf%", "al ice", "a/b", "été", "_a", "01928f6e", "1..2", "..",
    ])
  func refused(_ text: String) { #expect(Revision(text) == nil) }

  @Test(
    "Numbers are plain digits, without a sign or another base",
    arguments: [
      "-0", "HEAD~+3", "HEAD~-0", "+5%", "0x10%", "1e1%",
    ])
  func plainDigits(_ text: String) {
    #expect(Revision(text) == nil)
  }

  @Test("A range is the events after one revision up to another; a single one starts at 0")
  func ranges() {
    let head = Revision.head(minus: 0)
    let cases: [(String, Revision, Revision)] = [
      ("3..7", .position(3), .position(7)), ("3..", .position(3), head),
      ("..7", .position(0), .position(7)), ("..", .position(0), head),
      ("7", .position(0), .position(7)), ("HEAD~3..HEAD", .head(minus: 3), head),
      ("HEAD", .position(0), head), ("10%..50%", .percent(10), .percent(50)),
      ("7..3", .position(7), .position(3)),
      ("a..b-2", .bookmark("a"), .bookmark("b-2")),
    ]
    for (text, from, to) in cases {
      #expect(RevisionRange(text) == RevisionRange(from: from, to: to), "\(text)")
    }
    let times = RevisionRange("@2026-01-31T12:00:00.500Z..@2026-02-01")
    #expect(times?.from == Revision("@2026-01-31T12:00:00.500Z"))
    #expect(times?.to == Revision("@2026-02-01"))
    for text in ["", "1...2", "1..2..3", "1 .. 2", "1.2", "x y.."] {
      #expect(RevisionRange(text) == nil, "\(text)")
    }
  }

  @Test("A revision resolves to the position of its last event")
  func resolving() async throws {
    let (folder, events) = try await SeekTests.random(11, 40)
    let view = try LogView(path: folder.log)
    func position(_ text: String) throws -> UInt64 {
      try #require(Revision(text)).resolve(in: view)
    }
    for number in 0...40 { #expect(try position("\(number)") == UInt64(number)) }
    for back in 0...40 { #expect(try position("HEAD~\(back)") == UInt64(40 - back)) }
    for event in events {
      #expect(try position("\(event.id)") == event.seq)
      #expect(try position("@\(event.time)") == events.last { $0.time == event.time }?.seq)
    }
    #expect(try position("@1999-01-01") == 0)
    #expect(try position("@9999-01-01") == 40)
    for (share, seq) in [("0%", 0), ("50%", 20), ("2.5%", 1), ("99.9%", 39), ("100%", 40)] {
      #expect(try position(share) == UInt64(seq), "\(share)")
    }
  }

  @Test("A percentage is computed from its decimal digits, and rounded down")
  func percentages() throws {
    let heads: [UInt64] = [1_000, 999, 50_000_000, 1 << 53 + 1, 1 << 63 - 1]
    for head in heads {
      for share in 0...1_000 {
        let revision = try #require(Revision("\(share / 10).\(share % 10)%"))
        let (high, low) = head.multipliedFullWidth(by: UInt64(share))
        let expected = UInt64(1_000).dividingFullWidth((high, low)).quotient
        #expect(try revision.resolve(in: NumberedHistory(last: head)) == expected, "\(revision)")
      }
    }
    for (share, seq) in [
      ("0.00000000001%", 0), ("99.9999999999%", 999), ("99.99999999999999%", 999),
      ("33.333333333333336%", 333), ("50.00%", 500),
    ] {
      let revision = try #require(Revision(share))
      #expect(try revision.resolve(in: NumberedHistory(last: 1_000)) == UInt64(seq), "\(share)")
    }
  }

  @Test("A revision that the log does not have is refused with its reason")
  func beyond() async throws {
    let (folder, _) = try await SeekTests.random(12, 5)
    let view = try LogView(path: folder.log)
    let missing = EventID.numbered(99)
    let cases: [(Revision, NoSuchRevision)] = [
      (.position(6), .beyondHead(asked: 6, head: 5)),
      (.position(.max), .beyondHead(asked: .max, head: 5)),
      (.head(minus: 6), .beforeStart(back: 6, head: 5)), (.id(missing), .noSuchEvent(missing)),
    ]
    for (revision, reason) in cases {
      #expect(throws: LogError.noSuchRevision(reason)) { try revision.resolve(in: view) }
    }
    let empty = InMemoryLog().view()
    for text in ["0", "HEAD", "50%", "@2026-01-01"] {
      #expect(try Revision(text)?.resolve(in: empty) == 0)
    }
    #expect(throws: LogError.noSuchRevision(.beforeStart(back: 1, head: 0))) {
      try Revision.head(minus: 1).resolve(in: empty)
    }
  }
}

/// A history that only knows its last position.
private struct NumberedHistory: History {
  var last: UInt64
  var name: String { "numbers" }
  var size: Int { 0 }
  func head() -> LogHead { LogHead(seq: last) }
  func chunks(after position: UInt64, until: UInt64) -> [Never] { [] }
  func read(_ chunk: Never) -> LineBlock {}
}
