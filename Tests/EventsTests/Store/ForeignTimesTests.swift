import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Times of foreign lines: the accepted forms, their conversion and the required order.
@Suite struct ForeignTimesTests {
  private static func at(_ time: String) -> String { #""time":"\#(time)","# }

  @Test(
    "RFC 3339 times and those that PostgreSQL and strftime print are read, to the millisecond",
    arguments: [
      ("2026-01-19T09:00:00.000Z", "2026-01-19T09:00:00.000Z"),
      ("2026-01-19t09:00:00z", "2026-01-19T09:00:00.000Z"),
      ("2026-01-19T09:00:00.5Z", "2026-01-19T09:00:00.500Z"),
      ("2026-01-19T09:00:00.123999999999999Z", "2026-01-19T09:00:00.123Z"),
      ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
      ("2026-01-19T00:30:00+01:00", "2026-01-18T23:30:00.000Z"),
      ("2026-01-19T09:00:00-00:00", "2026-01-19T09:00:00.000Z"),
      ("2026-01-19 09:00:00Z", "2026-01-19T09:00:00.000Z"),
      ("2026-01-31 12:00:00.123456+00", "2026-01-31T12:00:00.123Z"),
      ("2026-01-31 12:00:00-08", "2026-01-31T20:00:00.000Z"),
      ("2026-01-31 12:00:00+05:30", "2026-01-31T06:30:00.000Z"),
      ("2026-01-31T12:00:00+0530", "2026-01-31T06:30:00.000Z"),
      ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
      ("2016-12-31T15:59:60.7-08:00", "2016-12-31T23:59:59.999Z"),
    ])
  func read(_ text: String, _ canonical: String) async throws {
    #expect(Timestamp(foreign: text)?.description == canonical)
    let store = InMemoryLog()
    let line = ImportingTests.line("a", "b", Self.at(text))
    #expect(try await ImportingTests.run(line, into: store).error == nil)
    #expect(await store.read(after: 0, limit: 1).first?.time.description == canonical)
    #expect(try await ImportingTests.run(line, into: store).report == Import.Report(repeated: 1))
  }

  @Test(
    "A time without an instant or out of range is refused with its line and member",
    arguments: [
      "", "2026-01-19", "2026-01-19T09:00:00", "2026-01-19 09:00:00.123", "2026-01-19T09:00Z",
      "2026-01-19T09:00:00.Z", "2026-01-19T24:00:00Z", "2026-02-30T09:00:00Z",
      "2026-01-19T09:00:61Z", "2026-01-19  09:00:00Z", "2026-01-19_09:00:00Z",
      "2026-01-19T09:00:00+1", "2026-01-19T09:00:00+24", "2026-01-19T09:00:00+01:60",
      "2026-01-19T09:00:00+01:0", "2026-01-19T09:00:00,5Z", "2026-01-19T09:00:00+00:53:28",
      "infinity", "1768813200", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
    ])
  func refused(_ text: String) async throws {
    let (report, error) = try await ImportingTests.run(
      ImportingTests.line("a", "b", Self.at(text)), into: InMemoryLog())
    guard case .log(.damaged(let damage)) = error else {
      Issue.record("\(text): \(String(describing: error))")
      return
    }
    #expect(report.added == 0 && damage.line == 1 && damage.fault.path == "time")
  }

  @Test("A sealed line must have the log's time format, even if its sum is right")
  func sealed() async throws {
    let store = InMemoryLog(SteppedClock().environment)
    try await store.append(Commit([.following("a", "b")]))
    let line = String(decoding: try store.view().allBytes(), as: UTF8.self)
    let body = String(line.dropLast(27).replacing(".000Z", with: "Z"))
    #expect(body.contains(":01Z"))
    let digits = String(XXH64.hash(Array(body.utf8), seed: 0), radix: 16)
    let sum = String(repeating: "0", count: 16 - digits.count) + digits
    let resealed = body + #","sum":"\#(sum)"}"# + "\n"
    let folder = ScratchFolder()
    folder.makeFolder("log")
    folder.write(Array(resealed.utf8), to: "log/0000000000000001.jsonl")
    #expect(damage { _ = try LogView(path: folder.log).verify() } != nil)
    folder.write(Array(resealed.utf8), to: "in.jsonl")
    let found = damage { _ = try LogView.unsealed(path: folder.path + "/in.jsonl") }
    #expect(found?.fault.path == "time")
  }

  @Test("Ids derive from the line's bytes, and those of canonical lines never change")
  func ids() async throws {
    let store = InMemoryLog()
    let text =
      ImportingTests.line("a", "b", Self.at("2026-01-19T09:00:00.000Z"))
      + ImportingTests.line("a", "b", Self.at("2026-01-19T09:00:00.000Z"))
      + ImportingTests.line("a", "c")
      + ImportingTests.line("a", "b", Self.at("2026-01-19T10:00:00+01:00"))
    #expect(try await ImportingTests.run(text, into: store).error == nil)
    let ids = await store.read(after: 0, limit: 9).map(\.id.description)
    #expect(
      ids.prefix(3) == [
        "019bd57b-8280-7fe2-bc84-51409e000349",
        "019bd57b-8280-7486-9b09-8f2ec1d29c4c",
        "019bd57b-8280-73d8-87ba-782b008bdaa5",
      ])
    #expect(Set(ids).count == 4)
  }
}
