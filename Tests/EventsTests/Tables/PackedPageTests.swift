import FaultTesting
import Testing

@testable import EventLog
@testable import Events

/// Pages of tables as checkpoints keep them.
@Suite struct PackedPageTests {
  /// Typical contents of tables: blanks, ids, times, pairs of ids, texts.
  private static func content(
    _ count: Int, _ stride: Int, _ random: inout SplitMix64
  ) -> [UInt8] {
    let (kind, blanks) = (random.next() % 6, random.next() % 4)
    var bytes: [UInt8] = []
    while bytes.count < count {
      let word: UInt64
      switch kind {
      case _ where random.next() % 4 < blanks: word = kind % 2 == 0 ? 0 : .max
      case 0: word = random.next()
      case 1: word = random.next() % 250_000 << 32 | random.next() % 250_000
      case 2: word = 1_700_000_000_000 + random.next() % 1_000_000
      case 3: word = UInt64(bytes.count / stride)
      case 4: word = random.next() & 0x3f3f_3f3f_3f3f_3f3f | 0x4040_4040_4040_4040
      default: word = 7
      }
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    return Array(bytes.prefix(count))
  }

  private static func packed(_ page: PackedPage, _ bytes: [UInt8]) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: PackedPage.maxCount)
    let count = bytes.withUnsafeBytes { bytes in
      target.withUnsafeMutableBytes { page.pack(bytes.baseAddress!, into: $0.baseAddress!) }
    }
    return Array(target[..<count])
  }

  /// Unpacks a page into memory and checks that the bytes after it stay unchanged.
  private static func unpacked(_ page: PackedPage, _ packed: [UInt8], _ count: Int) -> [UInt8]? {
    var target = [UInt8](repeating: 0xa5, count: count + 16)
    let isRight = packed.withUnsafeBytes { packed in
      target.withUnsafeMutableBytes { page.unpack(packed, into: $0.baseAddress!) }
    }
    #expect(target[count...].allSatisfy { $0 == 0xa5 }, "written past the page")
    return isRight ? Array(target[..<count]) : nil
  }

  @Test(
    "Unpacking returns the packed bytes, for any element size and any table length",
    arguments: 1...20 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for stride in [1, 2, 4, 8, 12, 16, 24, 32, 40, 64, 72] {
      let tableCount = Int(random.next() % 3) * Pages.size + Int(random.next() % 4_096) + 1
      let table = Self.content(tableCount, stride, &random)
      for number in 0..<(tableCount + Pages.size - 1) / Pages.size {
        let bytes = Array(table.dropFirst(number * Pages.size).prefix(Pages.size))
        let page = PackedPage(number, stride: stride, tableCount: tableCount)
        let packed = Self.packed(page, bytes)
        #expect(packed.count <= bytes.count + 1)
        #expect(Self.unpacked(page, packed, bytes.count) == bytes, "\(stride), page \(number)")
      }
    }
  }

  @Test("Bytes that are not a page are refused or give some page, and nothing is written past it")
  func hostile() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<Sweep.size(1_000, 3_000, 3_000) {
      let count = random.next() % 3 == 0 ? Int(random.next() % 4_096) + 1 : Pages.size
      let stride = [4, 8, 12, 16, 24, 64][Int(random.next() % 6)]
      let page = PackedPage(0, stride: stride, tableCount: count)
      var packed = Self.packed(page, Self.content(count, stride, &random))
      for _ in 0...random.next() % 4 {
        packed[Int(random.next() % UInt64(packed.count))] = UInt8(random.next() % 256)
      }
      if random.next() % 2 == 0 { packed.removeLast(Int(random.next() % UInt64(packed.count))) }
      _ = Self.unpacked(page, packed, count)
    }
    #expect(Self.unpacked(PackedPage(0, stride: 8, tableCount: 64), [], 64) == nil)
    #expect(Self.unpacked(PackedPage(0, stride: 8, tableCount: 64), [9], 64) == nil)
  }

  @Test("A half empty table of pairs of ids packs to less than half its size")
  func size() {
    var random = SplitMix64(seed: 6)
    var bytes: [UInt8] = []
    for _ in 0..<512 {
      let pair = random.next() % 250_000 << 32 | random.next() % 250_000
      let word = random.next() % 2 == 0 ? UInt64.max : pair
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    let packed = Self.packed(PackedPage(0, stride: 8, tableCount: Pages.size), bytes)
    #expect(packed.count < Pages.size / 2)
  }
}
