import EventLog
import Events
import Foundation
import HistoryGeneration
import Testing
import UseCases

/// The fast writer of new logs, compared with `FileLog`.
@Suite struct HistoryWriterTests {
  private let folder = NSTemporaryDirectory() + "eventlog-writer-" + UUID().uuidString

  @Test("It writes the same bytes as a log, and a log opened after it continues the streams")
  func sameBytes() async throws {
    let count = 12_000
    let (one, other) = (folder + "-a", folder + "-b")
    defer { for path in [one, other] { try? FileManager.default.removeItem(atPath: path) } }
    let ids = SeededIDs(seed: 6)
    let log = try FileLog(
      path: one, creating: true,
      environment: RuntimeEnvironment(now: { .epoch }, random: { ids.next() }))
    var history = HistoryGenerator(events: count, users: 300, seed: 6)
    var names = Names()
    for result in await log.append(history.commits(count, &names)) { _ = try result.get() }
    let expected = try Self.bytes(one)

    try FileLog(path: other, creating: true).beginFirstSegment()
    let again = SeededIDs(seed: 6)
    let writer = try HistoryWriter(path: other, random: { again.next() })
    history = HistoryGenerator(events: count, users: 300, seed: 6)
    names = Names()
    for part in [1, 999, 11_000] { try await writer.append(history.batch(part, &names)) }
    try await writer.finish()
    let isSame = try Self.bytes(other) == expected
    #expect(isSame)

    let opened = try FileLog(path: other)
    let last = try #require(try await opened.read(after: UInt64(count) - 1, limit: 1).first)
    var next = NewEvent(last)
    next.id = nil
    _ = try await opened.append(Commit([next]))
    let added = try await opened.read(after: UInt64(count), limit: 2)
    #expect(added.map(\.rev) == [last.rev + 1])
  }

  @Test("An event with a time before the last event's is refused, and its batch is not written")
  func timeGoesBack() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileLog(path: folder, creating: true).beginFirstSegment()
    let ids = SeededIDs(seed: 1)
    let writer = try HistoryWriter(path: folder, random: { ids.next() })
    var history = HistoryGenerator(events: 20, users: 5, seed: 1)
    var names = Names()
    try await writer.append(history.batch(10, &names))
    let before = try Self.bytes(folder)
    var batch = history.batch(10, &names)
    batch.items[9].time = .epoch
    await #expect(throws: LogError.self) { try await writer.append(batch) }
    #expect(try Self.bytes(folder) == before)
  }

  private static func bytes(_ folder: String) throws -> Data {
    var all = Data()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    for file in files where file.hasSuffix(".jsonl") {
      all += try Data(contentsOf: URL(filePath: folder + "/" + file))
    }
    return all
  }
}
