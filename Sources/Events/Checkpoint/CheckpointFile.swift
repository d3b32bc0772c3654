import Synchronization

/// One checkpoint, open for reading: its header is in memory, and the rest is read on demand and
/// checked by the sums of its blocks.
///
/// The format, all numbers little-endian: `magic`, the header's length and sum (8 bytes each), the
/// header, and from the next multiple of 4,096 on the sections, each at such a multiple. After each
/// section come the XXH64 sums of its blocks of 4 KiB, each seeded with its number, and the header
/// has the sum of those; so a block can be checked without the rest.
package final class CheckpointFile: Sendable {
  static let magic = Array("eventlog checkpoint format 1\n\0\0\0".utf8)

  struct Section: Sendable {
    var offset: Int
    var byteCount: Int
    var stride: Int
    /// The sum of the blocks' sums.
    var sum: UInt64

    var blockCount: Int { (byteCount + Pages.size - 1) / Pages.size }
    var sumsOffset: Int { (offset + byteCount + 7) / 8 * 8 }
    var end: Int { sumsOffset + blockCount * 8 }
  }

  struct Part: Sendable {
    var name: String
    var version: Int
    var sections: Range<Int>
  }

  /// What a checkpoint contains, and of which history.
  struct Header: Sendable {
    var head = LogHead()
    var skipped: [UnknownType: Int] = [:]
    var parts: [Part] = []
    var sections: [Section] = []
  }

  package let path: String
  let header: Header
  private let files: FileSystem
  private let descriptor: Int32
  private let damaged = Atomic(false)

  /// The last event that the state holds.
  package var head: LogHead { header.head }
  /// How many events up to it were skipped, by unknown type.
  package var skipped: [UnknownType: Int] { header.skipped }

  init(path: String, _ files: FileSystem) throws(CheckpointFault) {
    self.path = path
    self.files = files
    do throws(FileError) {
      descriptor = try files.open(path, .read)
    } catch {
      throw .unreadable(error)
    }
    var start = [UInt8](repeating: 0, count: Self.magic.count + 16)
    var body: [UInt8] = []
    do throws(CheckpointFault) {
      try Self.fill(&start, at: 0, descriptor, path, files)
      guard start.starts(with: Self.magic) else {
        throw start.starts(with: Self.magic.prefix(27)) ? .newer : .damaged
      }
      var numbers = HeaderReader(start[Self.magic.count...])
      let (length, sum) = (numbers.number(), numbers.number())
      guard length < 1 << 24 else { throw .damaged }
      body = [UInt8](repeating: 0, count: Int(length))
      try Self.fill(&body, at: start.count, descriptor, path, files)
      guard XXH64.hash(body, seed: 1) == sum else { throw .damaged }
    } catch {
      try? files.close(descriptor, path)
      throw error
    }
    var reader = HeaderReader(body[...])
    header = reader.header()
    // A right sum is a reason to expect a layout, not to trust it.
    let size = (try? files.status(path).size) ?? 0
    guard header.sections.allSatisfy({ $0.end <= size }) else { throw .damaged }
  }

  deinit { try? files.close(descriptor, path) }

  private static func fill(
    _ bytes: inout [UInt8], at offset: Int, _ file: Int32, _ path: String, _ files: FileSystem
  ) throws(CheckpointFault) {
    let count = bytes.count
    let isFull = bytes.withUnsafeMutableBytes {
      readAll(files, file, $0.baseAddress, count, offset, path)
    }
    if !isFull { throw .damaged }
  }

  private static func readAll(
    _ files: FileSystem, _ file: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int,
    _ offset: Int, _ path: String
  ) -> Bool {
    guard let target else { return count == 0 }
    return (try? files.readAll(file, into: target, count, at: offset, path)) == count
  }

  /// Whether a block that was read was not what was written.
  package var isDamaged: Bool { damaged.load(ordering: .acquiring) }

  func noteDamage() { damaged.store(true, ordering: .releasing) }

  func read(_ offset: Int, _ count: Int, into target: UnsafeMutableRawPointer) -> Bool {
    Self.readAll(files, descriptor, target, count, offset, path)
  }

  /// The sums of a section's blocks; nil, and damage is noted, if they are not what was written.
  private func sums(_ section: Section) -> [UInt64]? {
    var sums = [UInt64](repeating: 0, count: section.blockCount)
    let isRead = sums.withUnsafeMutableBytes { raw -> Bool in
      guard let base = raw.baseAddress, raw.count > 0 else { return true }
      return read(section.sumsOffset, raw.count, into: base)
        && XXH64.hash(base, raw.count, seed: 2) == section.sum
    }
    if !isRead { noteDamage() }
    return isRead ? sums : nil
  }
}

extension CheckpointFile: SavedState {
  package var name: String { path }

  package func sections(ofPart name: String, version: Int) -> Range<Int>? {
    header.parts.first { $0.name == name && $0.version == version }?.sections
  }

  package func layout(ofSection index: Int) -> (stride: Int, byteCount: Int)? {
    guard header.sections.indices.contains(index) else { return nil }
    return (header.sections[index].stride, header.sections[index].byteCount)
  }

  package func pages(ofSection index: Int) -> any PageSource {
    let section = header.sections[index]
    let sums = sums(section) ?? [UInt64](repeating: 0, count: section.blockCount)
    return FilePages(self, section.offset..<section.offset + section.byteCount, sums[...])
  }

  /// Reads a whole section; false, and damage is noted, if it is not what was written.
  package func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    let section = header.sections[index]
    guard let base = target.baseAddress, section.byteCount > 0 else { return true }
    guard let sums = sums(section) else { return false }
    var isRight = read(section.offset, section.byteCount, into: base)
    for block in 0..<(isRight ? section.blockCount : 0) {
      let start = block * Pages.size
      let count = min(Pages.size, section.byteCount - start)
      if XXH64.hash(base + start, count, seed: UInt64(block)) != sums[block] { isRight = false }
    }
    if !isRight { noteDamage() }
    return isRight
  }
}

/// Why a checkpoint is not used.
public enum CheckpointFault: Error, Equatable, Sendable {
  case unreadable(FileError)
  /// Some bytes are not those that were written.
  case damaged
  /// The format is unknown to this code.
  case newer
  /// It belongs to another log, or to what the log was before it was replaced.
  case foreign
  /// Its position is beyond the log's last event: the log lost its end.
  case ahead(position: UInt64, head: UInt64)
}

extension CheckpointFault: CustomStringConvertible {
  /// What is wrong, as a phrase that follows the file's path.
  public var description: String {
    switch self {
    case .unreadable(let error): "cannot be read (\(error))"
    case .damaged: "is damaged"
    case .newer: "is of a newer format"
    case .foreign: "is of another log"
    case .ahead(let position, let head):
      "is of revision \(position), and the log ends at \(head): the log lost its end"
    }
  }
}

/// Reads a header's numbers and texts. Its sum was right, but still no value is trusted to be
/// within bounds.
private struct HeaderReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  mutating func number() -> UInt64 {
    let value = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    bytes = bytes.dropFirst(8)
    return value
  }

  private mutating func int() -> Int { Int(truncatingIfNeeded: number() & 0xffff_ffff_ffff) }

  private mutating func text() -> String {
    let count = int()
    defer { bytes = bytes.dropFirst(count) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  mutating func header() -> CheckpointFile.Header {
    var header = CheckpointFile.Header()
    header.head.seq = number()
    header.head.time = Timestamp(milliseconds: Int64(bitPattern: number()))
    header.head.sum = number()
    for _ in 0..<min(int(), bytes.count) {
      header.skipped[UnknownType(name: text(), version: int())] = int()
    }
    for _ in 0..<min(int(), bytes.count) {
      let (name, version, first, count) = (text(), int(), int(), int())
      header.parts.append(.init(name: name, version: version, sections: first..<first + count))
    }
    for _ in 0..<min(int(), bytes.count) {
      header.sections.append(
        .init(offset: int(), byteCount: int(), stride: int(), sum: number()))
    }
    return header
  }
}
