import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Repair restores all verifiable events, keeps every other byte aside, and does not change the
/// damaged log.
@Suite struct RepairTests {
  /// A log of several segments with commits of one and of three events, and its events.
  /// - Parameter gap: the time between two commits, in milliseconds.
  private func make(
    _ count: Int, apart gap: Int = 0
  ) async throws -> (folder: ScratchFolder, events: [RecordedEvent]) {
    let folder = ScratchFolder()
    let log = try FileLog(path: folder.log, creating: true, segmentSize: 4_000, files: .unsynced)
    var commits: [Commit] = []
    for number in 0..<count {
      let time = SteppedClock.start.milliseconds + Int64(number * gap)
      let events = (0..<(number % 5 == 3 ? 3 : 1)).map { part in
        NewEvent.commenting(
          "c\(number)-\(part)", "text \(number)", at: Timestamp(milliseconds: time))
      }
      commits.append(Commit(events))
    }
    for result in await log.append(commits) { _ = try result.get() }
    return (folder, try await log.all())
  }

  /// The segments' names and lines, with their line feeds.
  private func read(_ folder: ScratchFolder) -> [(name: String, lines: [[UInt8]])] {
    folder.names("log").filter { $0.hasSuffix(".jsonl") }.sorted().map { name in
      let bytes = folder.bytes("log/" + name)
      return (name, bytes.split(separator: 0x0a).map { Array($0) + [0x0a] })
    }
  }

  private func write(_ segments: [(name: String, lines: [[UInt8]])], _ folder: ScratchFolder) {
    for (name, lines) in segments { folder.write(lines.flatMap { $0 }, to: "log/" + name) }
  }

  /// Repairs the log and checks the conditions that hold for every repair.
  /// - Returns: the repair, and the original events that are in the new log.
  private func repaired(
    _ folder: ScratchFolder, _ events: [RecordedEvent], _ round: Int
  ) async throws -> (repair: Repair, kept: [UInt64]) {
    let before = read(folder).map { folder.bytes("log/" + $0.name) }
    let target = folder.path + "/mended-\(round)"
    let repair = try await Repair(of: folder.log, into: target, files: .unsynced)
    #expect(read(folder).map { folder.bytes("log/" + $0.name) } == before, "untouched")
    if repair.isWhole { return (repair, events.map(\.seq)) }
    let view = try LogView(path: target)
    _ = try view.verify { _, _ in }
    var kept: [UInt64] = []
    try view.forEachEvent { event in
      let original = events.first { $0.id == event.id }
      #expect(original?.data == event.data && original?.time == event.time)
      #expect(original?.type == event.type && original?.batch == event.batch)
      kept.append(original?.seq ?? 0)
      return true
    }
    #expect(kept == kept.sorted() && kept.count == repair.kept)
    for left in repair.leftOut {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: left.file)))
      let saved = [UInt8](try Data(contentsOf: URL(filePath: left.keptIn)))
      #expect(saved == Array(bytes[left.offset..<left.offset + left.count]))
    }
    let missing = Set(repair.missing.flatMap { Array($0) })
    #expect(missing.isDisjoint(with: kept))
    return (repair, kept)
  }

  /// The positions of the events in commits without any lost event.
  private func whole(_ events: [RecordedEvent], without lost: Set<UInt64>) -> [UInt64] {
    events.filter { event in
      let first = event.seq - UInt64((event.batch?.index ?? 1) - 1)
      return lost.isDisjoint(with: first..<first + UInt64(event.batch?.count ?? 1))
    }.map(\.seq)
  }

  @Test("A log without damage is not written again")
  func nothing() async throws {
    let (folder, events) = try await make(20)
    let (repair, kept) = try await repaired(folder, events, 0)
    #expect(repair.isWhole && kept.count == events.count)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/mended-0"))
  }

  @Test("A changed line and its commit are left out and kept aside; all others are restored")
  func changes() async throws {
    let (folder, events) = try await make(30)
    let original = read(folder)
    var random = SplitMix64(seed: 4)
    var round = 0
    for (segment, content) in original.enumerated() {
      for line in content.lines.indices {
        round += 1
        var changed = original
        let at = Int.random(in: 30..<content.lines[line].count - 30, using: &random)
        changed[segment].lines[line][at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        if changed[segment].lines[line][at] == 0x0a { continue }
        write(changed, folder)
        let seq = UInt64(original[..<segment].reduce(0) { $0 + $1.lines.count } + line + 1)
        let (repair, kept) = try await repaired(folder, events, round)
        #expect(kept == whole(events, without: [seq]), "seq \(seq), byte \(at)")
        #expect(repair.leftOut.contains { $0.seq == seq || $0.line == line + 1 })
        #expect(repair.missing.contains { $0.contains(seq) } || seq == events.last?.seq)
      }
    }
    #expect(round == events.count)
  }

  @Test("If only a line's sum was changed, the next line proves the line")
  func sums() async throws {
    let (folder, events) = try await make(12)
    let original = read(folder)
    for seq in 1..<events.count {
      var changed = original
      var (segment, line) = (0, seq - 1)
      while line >= changed[segment].lines.count {
        line -= changed[segment].lines.count
        segment += 1
      }
      let count = changed[segment].lines[line].count
      let old = changed[segment].lines[line][count - 5]
      changed[segment].lines[line][count - 5] = old == UInt8(ascii: "0") ? 0x31 : 0x30
      write(changed, folder)
      let (repair, kept) = try await repaired(folder, events, seq)
      // The bytes of the line are unchanged, and its sum is computed again.
      #expect(
        kept == events.map(\.seq) && repair.leftOut.isEmpty && repair.resealed == [UInt64(seq)],
        "\(seq)")
    }
  }

  @Test("Repair handles deleted, doubled and swapped lines, and bytes that are not lines")
  func order() async throws {
    let (folder, events) = try await make(25)
    let original = read(folder)
    for (segment, content) in original.enumerated() {
      for line in content.lines.indices.dropLast() {
        let seq = UInt64(original[..<segment].reduce(0) { $0 + $1.lines.count } + line + 1)
        var changed = original
        changed[segment].lines.remove(at: line)
        write(changed, folder)
        var (repair, kept) = try await repaired(folder, events, Int(seq) * 10)
        #expect(kept == whole(events, without: [seq]), "without \(seq)")
        #expect(repair.missing.contains { $0.contains(seq) })
        changed = original
        changed[segment].lines.insert(content.lines[line], at: line)
        write(changed, folder)
        (repair, kept) = try await repaired(folder, events, Int(seq) * 10 + 1)
        #expect(kept == events.map(\.seq) && repair.leftOut.count == 1, "\(seq) doubled")
        changed = original
        changed[segment].lines.swapAt(line, line + 1)
        write(changed, folder)
        (repair, kept) = try await repaired(folder, events, Int(seq) * 10 + 2)
        #expect(kept == events.map(\.seq) && repair.leftOut.isEmpty, "\(seq) swapped")
        changed = original
        changed[segment].lines.insert(Array("nonsense\n".utf8), at: line)
        write(changed, folder)
        (repair, kept) = try await repaired(folder, events, Int(seq) * 10 + 3)
        #expect(kept == events.map(\.seq) && repair.leftOut.map(\.count) == [8], "\(seq)")
      }
    }
  }

  @Test("A copy is left out also if the line before both has lost its position")
  func copyAfterDamage() async throws {
    let (folder, events) = try await make(12)
    var changed = read(folder)
    changed[0].lines.insert(changed[0].lines[2], at: 2)
    changed[0].lines[1][7] = UInt8(ascii: "x")
    write(changed, folder)
    let (repair, kept) = try await repaired(folder, events, 0)
    #expect(kept == whole(events, without: [2]) && repair.leftOut.map(\.line) == [2, 4])
  }

  @Test("A torn tail is kept aside; two valid lines at one position are refused")
  func refusal() async throws {
    let (folder, events) = try await make(9)
    let original = read(folder)
    var torn = original
    torn[torn.count - 1].lines.append(Array("{\"seq\":99,\"ti".utf8))
    write(torn, folder)
    let (repair, kept) = try await repaired(folder, events, 1)
    #expect(kept == events.map(\.seq) && repair.leftOut.map(\.count) == [13])
    // Two histories from the same point on, each valid by itself.
    write(original, folder)
    var ends: [[UInt8]] = []
    for text in ["one", "other"] {
      write(original, folder)
      let log = try FileLog(path: folder.log, files: .unsynced)
      try await log.append(Commit([.commenting("fork", text, at: SteppedClock.start)]))
      ends.append(try #require(read(folder).last?.lines.last))
    }
    var forked = original
    forked[forked.count - 1].lines += ends
    write(forked, folder)
    await #expect(throws: LogError.self) {
      try await Repair(of: folder.log, into: folder.path + "/no", files: .unsynced)
    }
  }

  @Test("Lines with their fields in another order, or with blanks, are kept like all others")
  func layout() async throws {
    let (folder, events) = try await make(12)
    var sum: UInt64 = 0
    let segments = read(folder).map { name, lines in
      (
        name: name,
        lines: lines.map { line in
          let text = String(decoding: line.dropLast(27), as: UTF8.self)
          let parts = text.dropFirst().split(separator: ",", maxSplits: 2)
          let seq = parts[0].dropFirst(6)
          let other = "{ \(parts[1]), \"seq\" : \(seq),\(parts[2])"
          sum = XXH64.hash(Array(other.utf8), seed: sum)
          let digits = String(sum, radix: 16)
          let zeros = String(repeating: "0", count: 16 - digits.count)
          return Array("\(other),\"sum\":\"\(zeros)\(digits)\"}\n".utf8)
        }
      )
    }
    write(segments, folder)
    _ = try LogView(path: folder.log).verify { _, _ in }
    #expect(try await repaired(folder, events, 0).repair.isWhole)
    var changed = segments
    changed[0].lines[4][90] ^= 1
    write(changed, folder)
    let (repair, kept) = try await repaired(folder, events, 1)
    #expect(kept == whole(events, without: [5]) && repair.leftOut.contains { $0.line == 5 })
  }

  @Test("If only a line's position was changed, its sum proves the line")
  func positions() async throws {
    let (folder, events) = try await make(12, apart: 1_000)
    let original = read(folder)
    var round = 0
    for (segment, content) in original.enumerated() {
      for line in content.lines.indices {
        let seq = UInt64(original[..<segment].reduce(0) { $0 + $1.lines.count } + line + 1)
        // Each bit of each digit; one more digit.
        let end = 7 + "\(seq)".utf8.count
        var lines = (7..<end).flatMap { at in
          (0..<8).map { bit in
            var bytes = content.lines[line]
            bytes[at] ^= 1 << bit
            return bytes
          }
        }
        lines.append(content.lines[line])
        lines[lines.count - 1].insert(UInt8(ascii: "9"), at: 7)
        for changedLine in lines where !changedLine.dropLast().contains(0x0a) {
          round += 1
          var changed = original
          changed[segment].lines[line] = changedLine
          write(changed, folder)
          let (repair, kept) = try await repaired(folder, events, round)
          let text = String(decoding: changedLine.prefix(end + 2), as: UTF8.self)
          let digits = text.dropFirst(7).prefix { $0 != "," }.split(separator: " ")
          if digits.count == 1, digits[0].first != "0", UInt64(digits[0]) != nil {
            #expect(kept == events.map(\.seq) && repair.leftOut.isEmpty, "\(seq): \(text)")
            #expect(repair.renumbered == [seq] && repair.unproven.isEmpty, "\(seq): \(text)")
          } else {
            #expect(kept == whole(events, without: [seq]), "\(seq): \(text)")
          }
          let lost = Set(events.map(\.seq).dropLast()).subtracting(kept)
          let missing = Set(repair.missing.flatMap { Array($0) })
          #expect(missing.subtracting([events.last?.seq ?? 0]) == lost, "\(seq): \(text)")
        }
      }
    }
    #expect(round > 8 * events.count)
  }

  @Test("If line feeds were changed or lost, or have a byte before them, all lines are kept")
  func lineFeeds() async throws {
    let (folder, events) = try await make(12)
    let original = read(folder)
    var round = 0
    let wrong: [[UInt8]] =
      (0..<8).map { [0x0a ^ 1 << UInt8($0)] } + [[], [0x0d, 0x0a], Array("{".utf8)]
    for (segment, content) in original.enumerated() {
      for line in content.lines.indices {
        let seq = UInt64(original[..<segment].reduce(0) { $0 + $1.lines.count } + line + 1)
        for end in wrong where line < content.lines.count - 1 || !end.isEmpty {
          round += 1
          var changed = original
          changed[segment].lines[line] = content.lines[line].dropLast() + end
          write(changed, folder)
          let (repair, kept) = try await repaired(folder, events, round)
          #expect(kept == events.map(\.seq) && repair.leftOut.isEmpty, "\(seq): \(end)")
          #expect(repair.wrongEnds == [seq...seq], "\(seq): \(end)")
        }
      }
    }
    for end in wrong where !end.isEmpty {
      round += 1
      write(original.map { ($0.name, $0.lines.map { $0.dropLast() + end }) }, folder)
      let (repair, kept) = try await repaired(folder, events, round)
      #expect(kept == events.map(\.seq) && repair.leftOut.isEmpty, "all: \(end)")
      #expect(repair.wrongEnds == [1...UInt64(events.count)], "all: \(end)")
    }
  }

  @Test("A line is not divided where its data only looks like the end of a line")
  func looksLikeAnEnd() async throws {
    let folder = ScratchFolder()
    let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
    let data = #"{"list":[{"a":1,"sum":"0123456789abcdef"},{"sum":"0123456789abcdef"}]}"#
    for number in 0..<3 {
      let event = NewEvent(
        type: "app.listed", version: 1, stream: "app/\(number)", actor: "a", data: Array(data.utf8))
      _ = try await log.append(Commit([event]))
    }
    let events = try await log.all()
    #expect(try await repaired(folder, events, 0).repair.isWhole)
    var segments = read(folder)
    segments[0].lines[1][segments[0].lines[1].count - 1] = 0x0b
    write(segments, folder)
    let (repair, kept) = try await repaired(folder, events, 1)
    #expect(kept == [1, 2, 3] && repair.wrongEnds == [2...2])
  }

  @Test("An unproven line whose time goes back is left out")
  func times() async throws {
    let (folder, events) = try await make(20, apart: 1_000)
    let original = read(folder)
    for (old, new) in [("2", "3"), ("2", "1")] {
      var changed = original
      changed[0].lines.remove(at: 1)
      let line = String(decoding: changed[0].lines[1], as: UTF8.self)
      let other = line.replacingOccurrences(of: "\"time\":\"\(old)", with: "\"time\":\"\(new)")
      #expect(other != line)
      changed[0].lines[1] = Array(other.utf8)
      write(changed, folder)
      let (repair, kept) = try await repaired(folder, events, new == "3" ? 1 : 2)
      #expect(kept == whole(events, without: [2, 3]))
      #expect(repair.leftOut.map(\.seq) == [3] && repair.unproven.isEmpty)
    }
  }

  @Test("Valid lines that contradict each other are refused, and nothing is written")
  func exclusion() async throws {
    let (folder, events) = try await make(6)
    // Times that go back, and a duplicate id, with correct sums.
    for change in ["time", "id"] {
      var out = ByteBuffer()
      var sum: UInt64 = 0
      for (index, event) in events.enumerated() where event.batch == nil {
        var event = event
        event.seq = out.text.utf8.reduce(into: 1) { $0 += $1 == 0x0a ? 1 : 0 }
        if change == "time", index == 0 { event.time = .latest }
        if change == "id", index > 0 { event.id = events[0].id }
        sum = out.appendLine(event, after: sum)
      }
      for name in folder.segments { folder.remove(name) }
      folder.write(out.array, to: "log/" + SegmentName.make(1))
      let target = folder.path + "/none-\(change)"
      do throws(LogError) {
        _ = try await Repair(of: folder.log, into: target, files: .unsynced)
        Issue.record("\(change): repaired")
      } catch {
        #expect("\(error)".contains("cannot decide which is right"), "\(error)")
      }
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }
}
