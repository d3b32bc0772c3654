import Foundation
import Testing

@testable import Events

/// faults 1–5 and 21: what a crash can leave at the end of a log.
@Suite struct TailTests {
  private let segment = "log/" + SegmentName.make(1)

  /// A log of five single events and a commit of three, and the offsets at which lines end.
  private func makeLog() async throws -> (bytes: [UInt8], ends: [Int]) {
    let folder = Folder()
    let log = try FileLog(
      path: folder.log, creating: true, surroundings: Laboratory().surroundings)
    for number in 0..<5 { try await log.append(Commit([follow("a", "n\(number)")])) }
    try await log.append(Commit((0..<3).map { follow("b", "n\($0)") }))
    let bytes = folder.read(segment)
    return (bytes, bytes.indices.filter { bytes[$0] == 0x0a }.map { $0 + 1 })
  }

  /// Opens what a crash left; says what is there afterwards.
  private func recover(_ bytes: [UInt8]) async throws -> (
    head: UInt64, kept: [UInt8], recovery: Recovery?
  ) {
    let folder = Folder()
    folder.write(segment, bytes)
    let before = try LogView(path: folder.log)
    let recovery: Recovery?
    do {
      let log = try FileLog(path: folder.log)
      recovery = log.recovery
      try await log.append(Commit([follow("z", "z")]))
    }
    let after = try LogView(path: folder.log)
    #expect(after.tail == .none)
    #expect(try after.verify().head.seq == before.head().seq + 1)
    let kept = folder.names("log/recovered").flatMap { folder.read("log/recovered/" + $0) }
    return (try before.head().seq, kept, recovery)
  }

  @Test("faults 1, 2, 21: cut at every byte of the last eight lines, nothing before is lost")
  func everyByte() async throws {
    let (bytes, ends) = try await makeLog()
    for cut in 1...bytes.count {
      let (head, kept, recovery) = try await recover(Array(bytes[..<cut]))
      // Whole lines, of which the commit of three counts only whole; a line that only lacks its
      // line feed is whole.
      var lines = ends.filter { $0 <= cut || $0 == cut + 1 }.count
      if lines > 5, lines < 8 { lines = 5 }
      #expect(head == UInt64(lines), "cut at \(cut)")
      let end = lines == 0 ? 0 : ends[lines - 1]
      #expect(kept == (end < cut ? Array(bytes[end..<cut]) : []), "cut at \(cut)")
      #expect((recovery == nil) == (end == cut), "cut at \(cut)")
    }
  }

  @Test("faults 3, 4: NUL bytes and garbage after the last line are put aside")
  func garbage() async throws {
    let (bytes, _) = try await makeLog()
    for tail in [
      [UInt8](repeating: 0, count: 5_000), Array("{\"seq\":9".utf8), [0xff, 0x0d, 0x00],
    ] {
      let (head, kept, recovery) = try await recover(bytes + tail)
      #expect(head == 8)
      #expect(kept == tail)
      #expect(recovery?.tail == .torn(bytes: tail.count))
    }
  }

  @Test("faults 5: a wrong line that ends in a line feed stops everything and is never cut off")
  func wrongLine() async throws {
    let (bytes, ends) = try await makeLog()
    for line in 0..<8 {
      let start = line == 0 ? 0 : ends[line - 1]
      var wrong = bytes
      wrong[start + 30] ^= 1
      let folder = Folder()
      folder.write(segment, wrong)
      let ways: [() throws -> Void] = [
        { _ = try FileLog(path: folder.log) }, { _ = try LogView(path: folder.log).verify() },
      ]
      for open in ways {
        #expect { try open() } throws: { error in
          guard case LogError.damaged(let damage) = error else { return false }
          return damage.line == line + 1 && damage.offset == start
            && damage.seq == UInt64(line + 1) && damage.file.hasSuffix(segment)
        }
      }
      #expect(folder.read(segment) == wrong)
      #expect(folder.names("log/recovered") == [])
    }
  }

  @Test("A tail that is put aside twice at one place is kept twice")
  func twice() async throws {
    let (bytes, _) = try await makeLog()
    let folder = Folder()
    for tail in ["one", "two"] {
      folder.write(segment, bytes + Array(tail.utf8))
      _ = try FileLog(path: folder.log)
    }
    #expect(folder.names("log/recovered").count == 2)
  }
}
