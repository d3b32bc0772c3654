import Testing

@testable import EventLog
@testable import Events

/// Faults 5: a wrong line that ends in a line feed stops reader and writer and is never cut off.
@Suite struct TailDamageTests {
  /// A way to damage a line; the line feed at its end stays.
  enum Spoiling: CaseIterable {
    case flipped, shortened, lengthened, emptied, garbage, foreign, wrongSum, upperSum

    func apply(_ line: [UInt8]) -> [UInt8] {
      var line = Array(line.dropLast())
      switch self {
      case .flipped: line[line.count / 2] ^= 4
      case .shortened: line.removeLast(10)
      case .lengthened: line.append(0x20)
      case .emptied: line = []
      case .garbage: line = Array(repeating: 0xfe, count: 30)
      case .foreign: line = Array(#"{"type":"UserFollowed","actor":"a","data":{}}"#.utf8)
      case .wrongSum: line[line.count - 5] = line[line.count - 5] == 0x30 ? 0x31 : 0x30
      case .upperSum: line.replaceSubrange(line.count - 4..<line.count - 2, with: Array("FF".utf8))
      }
      return line + [0x0a]
    }
  }

  @Test(
    "faults 5: the error names a wrong line's file, line, offset and seq",
    arguments: Spoiling.allCases)
  func named(_ spoiling: Spoiling) async throws {
    for ending in TailCutTests.Ending.allCases {
      let original = try await TailCutTests.make(ending)
      var seq: UInt64 = 0
      for (name, bytes) in original.files {
        let lines = bytes.split(separator: 0x0a).map { Array($0) + [0x0a] }
        for index in lines.indices {
          seq += 1
          let folder = ScratchFolder()
          folder.makeFolder("log")
          for (name, bytes) in original.files { folder.write(bytes, to: name) }
          let offset = lines[..<index].reduce(0) { $0 + $1.count }
          var spoilt = lines
          spoilt[index] = spoiling.apply(lines[index])
          let damaged = Array(spoilt.joined())
          folder.write(damaged, to: name)
          let ways: [(String, () throws -> Void)] = [
            ("verify", { _ = try LogView(path: folder.log).verify() }),
            ("read", { _ = try LogView(path: folder.log).readCold() }),
            ("events", { _ = try LogView(path: folder.log).allEvents() }),
            ("open", { _ = try FileLog(path: folder.log, files: .unsynced) }),
          ]
          for (way, body) in ways {
            let found = damage(body)
            #expect(found?.file == folder.log + name.dropFirst(3), "\(way) \(ending), seq \(seq)")
            #expect(found?.line == index + 1, "\(way) \(ending), seq \(seq)")
            #expect(found?.offset == offset, "\(way) \(ending), seq \(seq)")
            #expect(found?.seq == seq, "\(way) \(ending), seq \(seq)")
          }
          #expect(folder.bytes(name) == damaged)
          #expect(folder.names("log/recovered").isEmpty)
        }
      }
    }
  }

  @Test("faults 5: a wrong line before a torn tail stops the writer, which then cuts nothing off")
  func beforeTail() async throws {
    let original = try await TailCutTests.make(.singles)
    var bytes = original.last.bytes
    bytes[bytes.count - 60] ^= 1
    bytes += Array("torn".utf8)
    let folder = ScratchFolder()
    folder.makeFolder("log")
    for (name, bytes) in original.files { folder.write(bytes, to: name) }
    folder.write(bytes, to: original.last.name)
    #expect(damage { _ = try FileLog(path: folder.log) }?.seq == UInt64(original.events.count))
    #expect(folder.bytes(original.last.name) == bytes)
    #expect(folder.names("log/recovered").isEmpty)
  }

  @Test("faults 5, 24: no flipped bit in the last commit makes the writer cut off a whole line")
  func everyBitOfTheLastCommit() async throws {
    let original = try await TailCutTests.make(.batch)
    let (name, bytes) = original.last
    let from = original.lines.dropLast(3).reduce(0) { $0 + $1.count }
    let folder = ScratchFolder()
    folder.makeFolder("log")
    for (name, bytes) in original.files { folder.write(bytes, to: name) }
    for index in from..<bytes.count {
      for bit in 0..<8 {
        if !wantsSweep, index + bit & 3 != 0, bytes[index] != UInt8(ascii: "3") { continue }
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        folder.write(flipped, to: name)
        let isLastFeed = index == bytes.count - 1
        // Without its line feed, the rest of the last line is a torn tail.
        let found = damage { _ = try FileLog(path: folder.log, files: .unsynced) }
        #expect((found == nil) == isLastFeed, "byte \(index), bit \(bit)")
        let isUntouched = folder.bytes(name) == flipped
        #expect(isLastFeed || isUntouched, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test("A whole last line with a wrong batch number is damage, not an unfinished commit")
  func falseBatch() async throws {
    let original = try await TailCutTests.make(.batch)
    let text = String(decoding: original.last.bytes, as: UTF8.self)
    let folder = ScratchFolder()
    folder.makeFolder("log")
    for (name, bytes) in original.files { folder.write(bytes, to: name) }
    let changed = Array(text.replacing("\"batch\":\"3/3\"", with: "\"batch\":\"2/3\"").utf8)
    #expect(changed != original.last.bytes)
    folder.write(changed, to: original.last.name)
    let found = damage { _ = try FileLog(path: folder.log, files: .unsynced) }
    #expect(found?.seq == UInt64(original.events.count))
    let isUntouched = folder.bytes(original.last.name) == changed
    #expect(isUntouched)
  }

  @Test("An empty last segment that does not follow the log's last event is refused")
  func emptySegmentOfAnotherPlace() async throws {
    let original = try await TailCutTests.make(.singles)
    for first in [UInt64(original.events.count), UInt64(original.events.count) + 2] {
      let folder = ScratchFolder()
      folder.makeFolder("log")
      for (name, bytes) in original.files { folder.write(bytes, to: name) }
      folder.write([], to: "log/" + SegmentName.make(first))
      let found = damage { _ = try FileLog(path: folder.log, files: .unsynced) }
      #expect(found?.file == folder.log + "/" + SegmentName.make(first))
    }
  }
}
