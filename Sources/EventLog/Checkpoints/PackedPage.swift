import Events

/// A page of a table, in the packed form that a checkpoint file stores. A table of numbers shrinks
/// to about half.
///
/// This is frame-of-reference bit packing (Goldstein, Ramakrishnan, Shaft: Compressing Relations
/// and Indexes, 1998). It omits 8-byte words whose bits are all 0 or, in other pages, all 1. A
/// bitmap says which words are present. Each present word is split into two 4-byte halves. Halves
/// at the same offset in a table's element are of one kind. A half is stored as its difference from
/// the least half of its kind in the page. Each kind uses as many bits as its greatest difference
/// needs. A page that would not shrink, such as one of texts, is stored unpacked.
///
/// All numbers are little-endian. The bytes are: how the page is packed (1 byte); for each kind,
/// its width in bits (1 byte) and its least value (4 bytes); the bitmap of the words; the halves,
/// padded to 4 bytes; the bytes after the last whole word. The code uses raw memory, because it
/// packs every byte of a checkpoint.
struct PackedPage {
  private enum Form: UInt8 { case asItIs, withoutZeros, withoutOnes }

  /// The most bytes that a packed page takes: one byte for its form, and the unpacked page.
  static let maxCount = 1 + Pages.size
  /// The fewest bytes that a packed page of `Pages.size` takes.
  static let minCount = 1 + 2 * kindCount + bitmapCount
  private static let bitmapCount = Pages.size / 64
  private static let kindCount = 5

  /// The number of 8-byte words after which the kinds of halves repeat: the words of one table
  /// element, or of two elements if an element has 12 bytes.
  private let period: Int
  /// The place of the page's first word in the repeating group of `period` words; 0 for its start.
  private let phase: Int
  /// The page's size; less than `Pages.size` only for the last page of a table.
  private let byteCount: Int

  /// - Parameters:
  ///   - number: the page's number in its table.
  ///   - stride: the size of the table's elements, in bytes.
  ///   - tableCount: the size of the table, in bytes; the page must start before it ends.
  init(_ number: Int, stride: Int, tableCount: Int) {
    let start = number * Pages.size
    period =
      switch stride {
      case 12: 3
      case 16...64 where stride % 8 == 0: stride / 8
      default: 1
      }
    phase = start / 8 % period
    byteCount = min(Pages.size, tableCount - start)
  }

  private var wordCount: Int { byteCount / 8 }
  private var tailCount: Int { byteCount % 8 }
  private var headCount: Int { 1 + period * 2 * Self.kindCount + Self.bitmapCount }

  /// Calls `body` with each word of a page, its index and the kind of its lower half.
  @inline(__always)
  private func forEachWord(
    _ page: UnsafeRawPointer, _ body: (_ word: UInt64, _ index: Int, _ kind: Int) -> Void
  ) {
    var kind = phase * 2
    for index in 0..<wordCount {
      body(page.load(fromByteOffset: index * 8, as: UInt64.self), index, kind)
      kind = kind + 2 == period * 2 ? 0 : kind + 2
    }
  }

  // MARK: Packing

  private struct Kind {
    var least = UInt32.max
    var greatest: UInt32 = 0
    var count = 0

    var width: Int { count == 0 ? 0 : 32 - (greatest - least).leadingZeroBitCount }

    mutating func add(_ half: UInt32) {
      least = min(least, half)
      greatest = max(greatest, half)
      count += 1
    }
  }

  private struct BitWriter {
    var at: UnsafeMutableRawPointer
    private var waiting: UInt64 = 0
    private var bits = 0

    init(_ at: UnsafeMutableRawPointer) { self.at = at }

    @inline(__always)
    mutating func write(_ number: UInt32, _ width: Int) {
      waiting |= UInt64(number) &<< UInt64(bits)
      bits += width
      if bits >= 32 { flush() }
    }

    mutating func flush() {
      at.storeBytes(of: UInt32(truncatingIfNeeded: waiting).littleEndian, as: UInt32.self)
      at += 4
      waiting >>= 32
      bits = max(bits - 32, 0)
    }

    mutating func end() { if bits > 0 { flush() } }
  }

  /// Packs a page, and returns the number of bytes used.
  /// - Parameter target: room for `maxCount` bytes.
  func pack(_ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer) -> Int {
    var (zeros, ones) = (0, 0)
    forEachWord(page) { word, _, _ in
      if word == 0 { zeros += 1 }
      if word == .max { ones += 1 }
    }
    let form = ones > zeros ? Form.withoutOnes : .withoutZeros
    let omitted: UInt64 = form == .withoutOnes ? .max : 0
    return withUnsafeTemporaryAllocation(of: Kind.self, capacity: period * 2) { kinds in
      kinds.initialize(repeating: Kind())
      forEachWord(page) { word, _, kind in
        if word == omitted { return }
        kinds[kind].add(UInt32(truncatingIfNeeded: word))
        kinds[kind + 1].add(UInt32(truncatingIfNeeded: word >> 32))
      }
      let bits = kinds.reduce(0) { $0 + $1.count * $1.width }
      let size = headCount + (bits + 31) / 32 * 4 + tailCount
      guard size <= byteCount else {
        target.storeBytes(of: Form.asItIs.rawValue, as: UInt8.self)
        (target + 1).copyMemory(from: page, byteCount: byteCount)
        return 1 + byteCount
      }
      target.storeBytes(of: form.rawValue, as: UInt8.self)
      write(page, omitted, kinds, to: target + 1)
      (target + size - tailCount).copyMemory(from: page + wordCount * 8, byteCount: tailCount)
      return size
    }
  }

  private func write(
    _ page: UnsafeRawPointer, _ omitted: UInt64, _ kinds: UnsafeMutableBufferPointer<Kind>,
    to target: UnsafeMutableRawPointer
  ) {
    var at = target
    for kind in kinds {
      at.storeBytes(of: UInt8(kind.width), as: UInt8.self)
      at.storeBytes(of: kind.least.littleEndian, toByteOffset: 1, as: UInt32.self)
      at += Self.kindCount
    }
    let bitmap = at
    bitmap.initializeMemory(as: UInt8.self, repeating: 0, count: Self.bitmapCount)
    var halves = BitWriter(at + Self.bitmapCount)
    forEachWord(page) { word, index, kind in
      if word == omitted { return }
      let byte = bitmap.load(fromByteOffset: index / 8, as: UInt8.self)
      bitmap.storeBytes(of: byte | 1 << UInt8(index % 8), toByteOffset: index / 8, as: UInt8.self)
      halves.write(UInt32(truncatingIfNeeded: word) &- kinds[kind].least, kinds[kind].width)
      halves.write(
        UInt32(truncatingIfNeeded: word >> 32) &- kinds[kind + 1].least, kinds[kind + 1].width)
    }
    halves.end()
  }

  // MARK: Unpacking

  /// A reader of numbers of up to 32 bits. It uses 8-byte loads, because branching on the widths
  /// took half of the time of reading a page.
  private struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    /// The index of the next bit.
    private(set) var at = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns the next `width` bits; zeros past the end.
    @inline(__always)
    mutating func read(_ width: Int) -> UInt32 {
      let byte = at >> 3
      let word =
        byte + 8 <= bytes.count
        ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
        : rest(byte)
      defer { at += width }
      return UInt32(
        truncatingIfNeeded: word &>> UInt64(at & 7) & ((1 &<< UInt64(width)) - 1))
    }

    private func rest(_ byte: Int) -> UInt64 {
      bytes.dropFirst(byte).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Restores a page. Memory stays safe for any bytes.
  /// - Parameter target: room for the page.
  /// - Returns: false if the bytes are not a packed page; the room then holds arbitrary bytes.
  func unpack(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Bool {
    guard let start = bytes.baseAddress, let form = bytes.first.flatMap(Form.init) else {
      return false
    }
    if form == .asItIs {
      guard bytes.count == 1 + byteCount else { return false }
      target.copyMemory(from: start + 1, byteCount: byteCount)
      return true
    }
    let halvesCount = bytes.count - headCount - tailCount
    guard halvesCount >= 0, halvesCount % 4 == 0 else { return false }
    let bitmap = start + headCount - Self.bitmapCount
    let end = start + headCount + halvesCount
    target.initializeMemory(
      as: UInt8.self, repeating: form == .withoutOnes ? .max : 0, count: wordCount * 8)
    return withUnsafeTemporaryAllocation(
      of: (least: UInt32, width: Int).self, capacity: period * 2
    ) { kinds in
      for number in kinds.indices {
        let at = start + 1 + number * Self.kindCount
        let least = UInt32(littleEndian: at.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        kinds.initializeElement(at: number, to: (least, min(Int(at.load(as: UInt8.self)), 32)))
      }
      var halves = BitReader(UnsafeRawBufferPointer(start: start + headCount, count: halvesCount))
      for first in stride(from: 0, to: wordCount, by: 64) {
        var left = UInt64(
          littleEndian: bitmap.loadUnaligned(fromByteOffset: first / 8, as: UInt64.self))
        if wordCount - first < 64 { left &= 1 << UInt64(wordCount - first) - 1 }
        while left != 0 {
          let index = first + left.trailingZeroBitCount
          left &= left - 1
          let kind = period == 1 ? 0 : (phase + index) % period * 2
          let low = kinds[kind].least &+ halves.read(kinds[kind].width)
          let high = kinds[kind + 1].least &+ halves.read(kinds[kind + 1].width)
          target.storeBytes(
            of: UInt64(high) << 32 | UInt64(low), toByteOffset: index * 8, as: UInt64.self)
        }
      }
      (target + wordCount * 8).copyMemory(from: end, byteCount: tailCount)
      return (halves.at + 31) / 32 * 4 == halvesCount
    }
  }
}
