import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Checkpoints that hold only the changes since an earlier one.
@Suite struct DeltaTests {
  /// A table of many pages, lists, and a table whose elements cross the ends of pages.
  private struct Kept {
    struct Wide: BitwiseCopyable, Sendable, Equatable {
      var a: UInt64
      var b: UInt64
      var c: UInt64
    }
    var table = Slab<UInt64>(blank: 0, count: 40_000)
    var lists = Lists<UInt32>(blank: 0)
    var wide = Slab(blank: Wide(a: 1, b: 2, c: 3))

    mutating func code(with coder: inout StateCoder) {
      coder.part("kept", version: 1) { coder in
        coder(&table)
        lists.code(with: &coder)
        coder(&wide)
      }
    }

    mutating func change(_ random: inout SplitMix64) {
      let at = Int.random(in: 0..<table.count, using: &random)
      table[at] = .random(in: .min ... .max, using: &random)
      let id = UInt32.random(in: 0..<500, using: &random)
      lists.append(UInt32(truncatingIfNeeded: table[at]), to: id)
      if lists.count(of: id) > 9 { lists.remove(at: 3, in: id) }
      if wide.isEmpty || random.next() % 3 > 0 {
        wide.append(.init(a: table[at], b: 0, c: 7))
      } else if random.next() % 5 == 0 {
        wide.removeLast()
      } else {
        wide[Int.random(in: 0..<wide.count, using: &random)].b = table[at]
      }
    }

    static func == (a: Kept, b: Kept) -> Bool {
      a.table.elementsEqual(b.table) && a.wide.elementsEqual(b.wide)
        && a.lists.indices == b.lists.indices
        && a.lists.indices.allSatisfy { a.lists[$0].elementsEqual(b.lists[$0]) }
    }
  }

  private func log(_ folder: ScratchFolder, _ events: Int) async throws -> LogView {
    let log = try FileLog(path: folder.log, creating: true, files: .unsynced)
    for number in 0..<events {
      try await log.append(Commit([.following("a", "n\(number)")]))
    }
    return try LogView(path: folder.log)
  }

  private func save(_ kept: inout Kept, _ view: LogView, _ seq: UInt64) throws {
    let checkpoints = try #require(view.checkpoints)
    var copy = kept
    _ = try checkpoints.write("kept", head: try view.head(at: seq), skipped: [:]) {
      copy.code(with: &$0)
    }
    checkpoints.thin("kept", room: 0)
  }

  private func restored(
    _ view: LogView, lazily: Bool = true
  ) throws -> (kept: Kept, file: CheckpointFile) {
    let checkpoints = try #require(view.checkpoints)
    let entry = try #require(checkpoints.entries().first)
    let file = try checkpoints.open(entry, of: view)
    var kept = Kept()
    let isRead = checkpoints.read(file, lazily: lazily) { kept.code(with: &$0) }
    #expect(isRead)
    return (kept, file)
  }

  @Test("A state restored and saved many times equals the model, and few files hold it")
  func chain() async throws {
    let folder = ScratchFolder()
    let view = try await log(folder, 60)
    var random = SplitMix64(seed: 11)
    var model = Kept()
    for _ in 0..<2_000 { model.change(&random) }
    try save(&model, view, 1)
    var (most, written, wholes) = (0, 0, 0)
    for seq in 2...60 as ClosedRange<UInt64> {
      var (kept, _) = try restored(view)
      let changes = [1, 5, 40, 300][Int(seq % 4)]
      var again = random
      for _ in 0..<changes { model.change(&random) }
      for _ in 0..<changes { kept.change(&again) }
      try save(&kept, view, seq)
      let (lazy, file) = try restored(view)
      #expect(lazy == model && !file.isDamaged, "at \(seq), lazily")
      #expect(try restored(view, lazily: false).kept == model, "at \(seq)")
      most = max(most, folder.names("log/checkpoints").count)
      written += file.addedCount
      wholes += file.base == nil ? 1 : 0
    }
    // A whole checkpoint has about half a megabyte.
    #expect(most <= 9 && wholes < 12, "\(most) files, \(wholes) whole")
    #expect(written < 60 * 150_000, "\(written) bytes")
  }

  @Test("A damaged byte anywhere in a chain of checkpoints is found before it is used")
  func damage() async throws {
    let folder = ScratchFolder()
    let view = try await log(folder, 4)
    var random = SplitMix64(seed: 12)
    var model = Kept()
    for _ in 0..<2_000 { model.change(&random) }
    try save(&model, view, 1)
    for seq in 2...4 as ClosedRange<UInt64> {
      var (kept, _) = try restored(view)
      // Ever fewer changes, so that each file continues the previous one.
      for _ in 0..<(400 >> (2 * Int(seq - 2))) { kept.change(&random) }
      try save(&kept, view, seq)
    }
    model = try restored(view, lazily: false).kept
    let names = folder.names("log/checkpoints")
    #expect(names.count == 4, "\(names)")
    let rounds = Sweep.size(20, 60, 60)
    var noticed = 0
    for name in names {
      let whole = folder.bytes("log/checkpoints/" + name)
      for round in 0..<rounds {
        var bytes = whole
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8(random.next() % 8)
        folder.write(bytes, to: "log/checkpoints/" + name)
        let checkpoints = try #require(view.checkpoints)
        let entry = try #require(checkpoints.entries().first)
        guard let file = try? checkpoints.open(entry, of: view) else {
          noticed += 1
          continue
        }
        var kept = Kept()
        let isRead = checkpoints.read(file, lazily: round % 3 > 0) { kept.code(with: &$0) }
        let isSame = isRead && kept == model
        #expect(isSame || !isRead || file.isDamaged, "\(name)")
        noticed += isSame ? 0 : 1
      }
      folder.write(whole, to: "log/checkpoints/" + name)
    }
    #expect(noticed > rounds * 5 / 3)
    // Without one of its files a chain is useless, and that is no error.
    folder.write([], to: "log/checkpoints/" + names[1])
    let checkpoints = try #require(view.checkpoints)
    #expect(throws: CheckpointFault.incomplete) {
      _ = try checkpoints.open(checkpoints.entries()[0], of: view)
    }
  }

  @Test("Nothing is written from a checkpoint that has turned out to be damaged")
  func damagedSource() async throws {
    let folder = ScratchFolder()
    let view = try await log(folder, 2)
    var random = SplitMix64(seed: 13)
    var model = Kept()
    for _ in 0..<500 { model.change(&random) }
    try save(&model, view, 1)
    let name = "log/checkpoints/" + folder.names("log/checkpoints")[0]
    var bytes = folder.bytes(name)
    bytes[bytes.count / 2] ^= 1
    folder.write(bytes, to: name)
    var (kept, file) = try restored(view)
    #expect(!file.isDamaged)
    kept.table.load()
    kept.wide.load()
    #expect(file.isDamaged)
    let checkpoints = try #require(view.checkpoints)
    let written = try checkpoints.write("kept", head: try view.head(at: 2), skipped: [:]) {
      kept.code(with: &$0)
    }
    #expect(written == nil && folder.names("log/checkpoints").count == 1)
  }

  @Test("A senseless list of pages with right sums is reported as damage and does not trap")
  func senselessList() async throws {
    let folder = ScratchFolder()
    let view = try await log(folder, 1)
    var random = SplitMix64(seed: 14)
    var model = Kept()
    for _ in 0..<500 { model.change(&random) }
    try save(&model, view, 1)
    let name = "log/checkpoints/" + folder.names("log/checkpoints")[0]
    let whole = folder.bytes(name)
    let section = try #require(
      try restored(view).file.header.sections.first { $0.stride == 8 && $0.pageCount > 50 })
    let list = section.listOffset..<section.listOffset + section.pageCount * 16
    for (page, end) in [
      (0, UInt64(1) << 63), (0, .max), (1, 1 << 63), (1, 0), (40, .max), (40, 1 << 40),
      (section.pageCount - 1, UInt64(section.packedCount) + 1),
    ] {
      folder.write(
        try changed(whole, list.lowerBound + page * 16, to: end, list, section.sum), to: name)
      let checkpoints = try #require(view.checkpoints)
      let file = try checkpoints.open(checkpoints.entries()[0], of: view)
      var kept = Kept()
      #expect(checkpoints.read(file, lazily: true) { kept.code(with: &$0) })
      for index in kept.table.indices.reversed() { _ = kept.table[index] }
      #expect(file.isDamaged, "page \(page) ends at \(end)")
    }
  }

  @Test("A list of changed pages that is unordered or exceeds the table is damage")
  func senselessChanges() async throws {
    let folder = ScratchFolder()
    let view = try await log(folder, 2)
    var random = SplitMix64(seed: 15)
    var model = Kept()
    for _ in 0..<2_000 { model.change(&random) }
    try save(&model, view, 1)
    var (kept, _) = try restored(view)
    for _ in 0..<100 { kept.change(&random) }
    try save(&kept, view, 2)
    let name = "log/checkpoints/" + (try #require(folder.names("log/checkpoints").last))
    let whole = folder.bytes(name)
    let section = try #require(
      try restored(view).file.header.sections.first {
        $0.stride == 8 && $0.pageCount > 50 && $0.delta != nil
      })
    let pageCount = try #require(section.delta).pageCount
    let list = section.offset..<section.offset + pageCount * ChangedPage.byteCount
    for (entry, page) in [
      (0, section.pageCount - 1), (pageCount - 1, 0), (pageCount - 1, section.pageCount),
      (pageCount - 1, 1 << 31),
    ] {
      let at = list.lowerBound + entry * ChangedPage.byteCount
      folder.write(try changed(whole, at, to: UInt64(page) << 32, list, section.sum), to: name)
      let checkpoints = try #require(view.checkpoints)
      let file = try checkpoints.open(checkpoints.entries()[0], of: view)
      #expect(!checkpoints.read(file, lazily: false) { kept.code(with: &$0) })
      #expect(file.isDamaged, "entry \(entry) is of page \(page)")
    }
  }

  /// Returns a checkpoint's bytes with another number at an offset. The sums of the number's list
  /// and of the header, which has the list's sum, are corrected.
  private func changed(
    _ whole: [UInt8], _ at: Int, to number: UInt64, _ list: Range<Int>, _ sum: UInt64
  ) throws -> [UInt8] {
    var bytes = whole
    bytes.replaceSubrange(at..<at + 8, with: le(number))
    let length = bytes.suffix(16).prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    let header = bytes.count - 16 - length
    let place = try #require(
      (header..<bytes.count - 16).first { Array(whole[$0..<$0 + 8]) == le(sum) })
    bytes.replaceSubrange(
      place..<place + 8, with: le(XXH64.hash(Array(bytes[list]), seed: 2)))
    let headerSum = XXH64.hash(Array(bytes[header..<bytes.count - 16]), seed: 1)
    bytes.replaceSubrange(bytes.count - 8..<bytes.count, with: le(headerSum))
    return bytes
  }

  private func le(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
