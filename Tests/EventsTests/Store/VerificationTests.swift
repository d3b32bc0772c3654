import FaultTesting
import PropertyTesting
import Testing

@testable import EventLog
@testable import Events

/// Verifying on several threads, which compares hashes of streams, has the same result as verifying
/// line by line with their names.
@Suite struct VerificationTests {
  private static let key: UInt64 = 0x123_4567_89ab_cdef

  /// The result of both ways; nil for any error.
  private func both(
    _ view: LogView, jobs: Int, chunkSize: Int, key: UInt64 = key
  ) throws -> (inParallel: LogView.Verification?, inOrder: LogView.Verification?) {
    (
      try view.verify(jobs: jobs, key: key, chunkSize: chunkSize) { _, _ in },
      try? view.verifyInOrder()
    )
  }

  @Test("A whole log verifies equally on any number of threads, for every chunk size")
  func whole() throws {
    let view = try LogView(path: FrozenLogTests.folder + "/demo")
    let inOrder = try view.verifyInOrder()
    #expect(inOrder.streams > 20)
    for (jobs, chunkSize) in [(1, 64), (2, 200), (3, 1_000), (2, 5_000), (4, 1 << 20)] {
      let found = try both(view, jobs: jobs, chunkSize: chunkSize).inParallel
      #expect(found == inOrder, "\(jobs) threads, chunks of \(chunkSize)")
    }
    #expect(try view.verify() == inOrder)
    #expect(try LogView(path: "empty", sealed: SealedBytes(ByteBuffer())).verify() == .init())
  }

  @Test(
    "Verifying on several threads finds each forgery, for every chunk size",
    arguments: ForgedLogTests.Forgery.allCases)
  func forged(_ forgery: ForgedLogTests.Forgery) async throws {
    let events = try await ForgedLogTests.events()
    for chunkSize in [64, 200, 300, 1_000, 100_000] {
      let whole = try both(ForgedLogTests.sealed([events]).view, jobs: 2, chunkSize: chunkSize)
      #expect(whole.inParallel == whole.inOrder && whole.inOrder != nil)
      let view = try ForgedLogTests.sealed(forgery.apply(events).segments).view
      let found = try both(view, jobs: 2, chunkSize: chunkSize)
      #expect(found.inParallel == nil && found.inOrder == nil, "chunks of \(chunkSize)")
    }
  }

  @Test("Streams with the same hash are distinguished by their names")
  func collisions() async throws {
    let log = InMemoryLog(SteppedClock().environment)
    for name in ["n1", "n2", "n1"] { try await log.append(Commit([.following("a", name)])) }
    let view = log.view()
    // With this key, every stream has the same hash: revisions 1, 1, 2 appear to be damage.
    let found = try both(view, jobs: 1, chunkSize: 1_000, key: 0)
    #expect(found.inParallel == nil)
    #expect(found.inOrder?.streams == 2)
    #expect(try view.verify() == found.inOrder)
  }

  @Test("A stream's revisions must be 1, 2, 3 …, and streams in between do not matter")
  func revisions() throws {
    func count(_ events: [(String, UInt64)]) throws -> Int? {
      var revisions = StreamRevisions()
      revisions.append(
        try events.map { stream, revision in
          var stream = stream
          return try #require(
            stream.withUTF8 { StreamRevisions.Entry($0, revision, key: Self.key) })
        })
      return revisions.parts.reduce(0 as Int?) { sum, part in
        sum.flatMap { sum in StreamRevisions.streamCount(part).map { sum + $0 } }
      }
    }
    #expect(try count([]) == 0)
    #expect(try count([("a/1", 1), ("a/2", 1), ("a/1", 2), ("a/1", 3)]) == 2)
    for wrong: [UInt64] in [[0], [2], [1, 1], [1, 3], [2, 1], [1, 2, 4], [1, 4_294_967_295]] {
      #expect(try count(wrong.map { ("a/1", $0) } + [("a/2", 1)]) == nil, "\(wrong)")
    }
    var names: [String] = []
    for length in 1...128 {
      for letter in ["x", "y"] {
        for place in [0, length / 2, length - 1] {
          var name = [Character](repeating: "a", count: length)
          name[place] = Character(letter)
          names.append(String(name))
        }
      }
    }
    names = Array(Set(names)).sorted()
    #expect(try count(names.map { ($0, 1) } + names.map { ($0, 2) }) == names.count)
    let beyond = Array("a/1".utf8).withUnsafeBufferPointer {
      StreamRevisions.Entry($0, 1 << 32, key: Self.key) == nil
    }
    #expect(beyond)
  }

  @Test("Both ways of verifying agree on any bytes of a line with a right sum")
  func differential() async throws {
    let pieces = [
      "\"", "\\", "\\u0041", "\\ud800", "\\n", ",", ":", "{", "}", "[", "]", "1", "0", "-0", "1e5",
      "1.5", " ", "null", "true", "\"x\":1,", "é", "\u{7f}", "\u{0}", "/", "\"batch\":\"1/2\",",
      "A",
    ]
    let histories = Generator.hostileHistory(max: 6)
    try await check(
      runs: Sweep.size(600, 1_800, 60_000), covering: ["right": 0.1, "wrong": 0.3]
    ) { t in
      let log = try await t.draw(histories, "history").log()
      let events = await log.read(after: 0, limit: .max)
      try t.assume(!events.isEmpty)
      var sum: UInt64 = 0
      var lines = events.map { event in
        defer { sum = event.sum }
        return Array(event.line(after: sum).dropLast(sumLength))
      }
      let changed = t.draw(.int(0...lines.count - 1), "line")
      t.times(0...2) {
        let start = t.draw(.int(0...lines[changed].count), "at")
        let end = min(lines[changed].count, start + t.draw(.int(0...3), "without"))
        let piece = t.draw(.element(of: pieces), "with")
        lines[changed].replaceSubrange(start..<end, with: piece.utf8)
      }
      t.note(String(decoding: lines[changed], as: UTF8.self))
      var bytes: [UInt8] = []
      sum = 0
      for line in lines {
        sum = XXH64.hash(line, seed: sum)
        bytes += line + Array(",\"sum\":\"\(sum.padded(to: 16, radix: 16))\"}\n".utf8)
      }
      let view = try MemoryFiles([SegmentName.make(1): bytes]).view
      let found = try both(view, jobs: 1, chunkSize: t.draw(.element(of: [100, 1_000, 1 << 18])))
      #expect(found.inParallel == found.inOrder)
      t.label(found.inOrder == nil ? "wrong" : "right")
    }
  }
}
