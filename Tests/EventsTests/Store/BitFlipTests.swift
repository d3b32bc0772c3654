import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Faults 24: every reading from scratch finds any single flipped bit in a sealed log.
@Suite struct BitFlipTests {
  /// Two segments with two dozen events of many types, some in commits of several events.
  static func reference() async throws -> (files: [String: [UInt8]], head: LogHead) {
    let folder = ScratchFolder()
    let log = try FileLog(
      path: folder.log, creating: true, segmentSize: 3_400, files: .unsynced,
      environment: SteppedClock(seed: 24).environment)
    for number in 0..<7 {
      try await log.append(Commit([.following("a", "n\(number)")]))
      try await log.append(
        Commit([.following("b", "n\(number)", cause: .numbered(3)), .following("a", "b")]))
      try await log.append(Commit([.commenting("c\(number)", "“Grüße” \\ \u{1F9D7}\n")]))
    }
    #expect(folder.segments.count >= 2)
    let files = folder.segments.map { (String($0.dropFirst(4)), folder.bytes($0)) }
    return (Dictionary(uniqueKeysWithValues: files), try log.view().head())
  }

  enum Way: CaseIterable, Sendable {
    case verify, cold, coldNarrow, coldInPieces, coldNarrowInPieces

    /// Whether this way of reading reports an error.
    func finds(_ files: MemoryFiles, _ head: LogHead) -> Bool {
      guard let view = try? files.view, view.tail == .none else { return true }
      let found: LogHead?
      switch self {
      case .verify: found = try? view.verify().head
      case .cold: found = try? view.readCold().head
      case .coldNarrow: found = try? view.readCold([.commentPosted]).head
      case .coldInPieces: found = try? view.readCold(chunkSize: 100).head
      case .coldNarrowInPieces: found = try? view.readCold([.accountDeleted], chunkSize: 64).head
      }
      return found != head
    }
  }

  @Test(
    "faults 24: every way of reading finds every single flipped bit", arguments: Way.allCases)
  func flips(_ way: Way) async throws {
    let (files, head) = try await Self.reference()
    let memory = MemoryFiles(files)
    #expect(!way.finds(memory, head), "the reference itself is whole")
    // The sweeps flip every bit; otherwise the ways of reading and the bits take turns.
    let turn = Way.allCases.firstIndex(of: way) ?? 0
    var flips = 0
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      for byte in bytes.indices where wantsSweep || byte % 5 == turn {
        for bit in 0..<8 where wantsSweep || bit == (byte &* 5 &+ turn) & 7 {
          memory.flip(name, byte, bit)
          let isFound = way.finds(memory, head)
          memory.flip(name, byte, bit)
          if !isFound { Issue.record("\(way): \(name), byte \(byte), bit \(bit)") }
          flips += 1
        }
      }
    }
    Sweep.tally("bits flipped, all found by \(way)", flips)
  }

  @Test("faults 24: the error names the line that has the flipped bit")
  func named() async throws {
    let (files, _) = try await Self.reference()
    let memory = MemoryFiles(files)
    var random = SplitMix64(seed: 240)
    var seq: UInt64 = 0
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      var start = 0
      for (number, line) in bytes.split(separator: 0x0a).enumerated() {
        seq += 1
        for _ in 0..<6 {
          let byte = start + Int.random(in: 0..<line.count, using: &random)
          let bit = Int.random(in: 0..<8, using: &random)
          memory.flip(name, byte, bit)
          let found = [
            damage { _ = try memory.view.verify() }, damage { _ = try memory.view.readCold() },
            damage { _ = try memory.view.readCold([], chunkSize: 100) },
          ]
          memory.flip(name, byte, bit)
          for damage in found {
            #expect(damage?.file == MemoryFiles.folder + "/" + name, "byte \(byte), bit \(bit)")
            #expect(damage?.line == number + 1, "\(name), byte \(byte), bit \(bit)")
            #expect(damage?.offset == start, "\(name), byte \(byte), bit \(bit)")
            #expect(damage?.seq == seq, "\(name), byte \(byte), bit \(bit)")
          }
        }
        start += line.count + 1
      }
    }
  }

  @Test(
    "The chunk size does not change the events that are read",
    arguments: [EventTypes.all, [.commentPosted], []])
  func chunkSizes(_ wanted: EventTypes) async throws {
    let (files, head) = try await Self.reference()
    let view = try MemoryFiles(files).view
    let whole = try view.readCold(wanted)
    #expect(whole.head == head)
    #expect(whole.events.count == (wanted == .all ? 28 : wanted == [] ? 0 : 7))
    var random = SplitMix64(seed: 8)
    let sizes =
      [26, 27, 64, 100, 1_000, 3_399, 3_400, 512 << 10]
      + (0..<8).map { _ in Int.random(in: 30...700, using: &random) }
    for size in sizes {
      let found = try view.readCold(wanted, chunkSize: size)
      #expect(found.head == head, "chunks of \(size)")
      #expect(found.events == whole.events, "chunks of \(size)")
    }
  }
}
