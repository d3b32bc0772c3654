import Events
import Synchronization

/// One checkpoint, open for reading: its header is in memory, and the rest is read on demand and
/// checked by the sums of its pages.
///
/// The format, all numbers little-endian: `magic`; the sections, each at a multiple of 8; the
/// header; and the header's length and sum (8 bytes each). A section is its pages of 4 KiB, packed
/// (`PackedPage`) one after the other, and from the next multiple of 8 on a list: for each page,
/// where it ends among the packed bytes, and the XXH64 sum of these, seeded with its number. The
/// header has the sum of the list; so a page can be found and checked without the rest.
///
/// A file may continue an earlier one, its base, which the header names with the sum of its header.
/// A section then may hold only what differs from one of the base's: for each page with changes
/// the page's number, which of its 64 parts they are, and their sum; then these parts. So what is
/// written is about what has changed, and a page is read from the base and then from each file
/// that continues it.
package final class CheckpointFile: Sendable {
  static let magic = Array("eventlog checkpoint format 3\n\0\0\0".utf8)

  struct Section: Sendable {
    var offset: Int
    /// How many bytes the section has, whether they are all in this file or not.
    var byteCount: Int
    var stride: Int
    /// How many bytes of this file its pages take; 0 if it continues another.
    var packedCount = 0
    /// The sum of the list of pages, or of changed pages.
    var sum: UInt64 = 0
    var delta: Delta?

    var pageCount: Int { (byteCount + Pages.size - 1) / Pages.size }
    /// Where the list of pages is.
    var listOffset: Int { (offset + packedCount + 7) / 8 * 8 }
    var end: Int {
      guard let delta else { return listOffset + pageCount * 16 }
      return offset + delta.byteCount
    }
  }

  /// How a section continues one of the base.
  struct Delta: Sendable {
    /// The base's section.
    var origin: Int
    var pageCount: Int
    var partCount: Int

    var listCount: Int { pageCount * ChangedPage.byteCount }
    var byteCount: Int { listCount + partCount * Pages.partSize }
  }

  /// The file that this one continues.
  struct Base: Sendable {
    var name: String
    /// The sum of its header.
    var sum: UInt64
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
    var base: Base?
    var parts: [Part] = []
    var sections: [Section] = []
  }

  package let path: String
  let header: Header
  /// The sum of the header.
  let sum: UInt64
  /// The file that this one continues; nil for one that is whole.
  let base: CheckpointFile?
  private let files: FileSystem
  private let descriptor: Int32
  private let damaged = Atomic(false)

  /// The last event that the state holds.
  package var head: LogHead { header.head }
  /// How many events up to it were skipped, by unknown type.
  package var skipped: [UnknownType: Int] { header.skipped }

  /// - Parameter depth: how many files continue this one.
  init(path: String, _ files: FileSystem, depth: Int = 0) throws(CheckpointFault) {
    self.path = path
    self.files = files
    do throws(FileError) {
      descriptor = try files.open(path, .read)
    } catch {
      throw .unreadable(error)
    }
    var start = [UInt8](repeating: 0, count: Self.magic.count)
    var end = [UInt8](repeating: 0, count: 16)
    var body: [UInt8] = []
    let size = (try? files.status(path).size) ?? 0
    do throws(CheckpointFault) {
      try Self.fill(&start, at: 0, descriptor, path, files)
      guard start == Self.magic else {
        guard start.starts(with: Self.magic.prefix(27)) else { throw .damaged }
        throw start[27] < Self.magic[27] ? .older : .newer
      }
      guard size >= start.count + end.count else { throw .damaged }
      try Self.fill(&end, at: size - end.count, descriptor, path, files)
      var numbers = HeaderReader(end[...])
      let length = numbers.number()
      sum = numbers.number()
      guard length < 1 << 24, Int(length) <= size - start.count - end.count else {
        throw .damaged
      }
      body = [UInt8](repeating: 0, count: Int(length))
      try Self.fill(&body, at: size - end.count - body.count, descriptor, path, files)
      guard XXH64.hash(body, seed: 1) == sum else { throw .damaged }
    } catch {
      try? files.close(descriptor, path)
      throw error
    }
    var reader = HeaderReader(body[...])
    let header = reader.header()
    self.header = header
    do throws(CheckpointFault) {
      base = try header.base.map { (base) throws(CheckpointFault) in
        try Self.open(base, beside: path, files, depth)
      }
    } catch {
      try? files.close(descriptor, path)
      throw error
    }
    // A right sum is a reason to expect a layout, not to trust it.
    guard header.sections.allSatisfy({ $0.end <= size && isSound($0) }) else {
      throw .damaged
    }
  }

  private static func open(
    _ base: Base, beside path: String, _ files: FileSystem, _ depth: Int
  ) throws(CheckpointFault) -> CheckpointFile {
    // A name leads to no other folder, and no chain is as long as a circle.
    guard !base.name.contains("/"), depth < 64 else { throw .damaged }
    do throws(CheckpointFault) {
      let file = try CheckpointFile(
        path: parentDirectory(path) + "/" + base.name, files, depth: depth + 1)
      if file.sum == base.sum { return file }
    } catch {
      // Gone, or another by now: then the files that continue it are of no use, which is no fault.
    }
    throw .incomplete
  }

  /// Whether a section is not longer than what it packs, or continues and adds.
  private func isSound(_ section: Section) -> Bool {
    guard let delta = section.delta else {
      // So a small file does not ask for much memory.
      return section.packedCount >= (section.pageCount - 1) * PackedPage.minCount
    }
    guard let base, base.header.sections.indices.contains(delta.origin) else { return false }
    let origin = base.header.sections[delta.origin]
    return section.byteCount <= origin.byteCount + delta.partCount * Pages.partSize
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

  /// Whether a page that was read was not what was written.
  package var isDamaged: Bool { damaged.load(ordering: .acquiring) || base?.isDamaged == true }

  func noteDamage() { damaged.store(true, ordering: .releasing) }

  func read(_ offset: Int, _ count: Int, into target: UnsafeMutableRawPointer) -> Bool {
    Self.readAll(files, descriptor, target, count, offset, path)
  }

  /// Numbers of which a section's sum is the sum; nil, and damage is noted, if they are not what
  /// was written.
  func numbers(_ section: Section, at offset: Int, count: Int) -> [UInt64]? {
    var numbers = [UInt64](repeating: 0, count: count)
    let isRead = numbers.withUnsafeMutableBytes { raw -> Bool in
      guard let base = raw.baseAddress, raw.count > 0 else { return true }
      return read(offset, raw.count, into: base)
        && XXH64.hash(base, raw.count, seed: 2) == section.sum
    }
    if !isRead { noteDamage() }
    return isRead ? numbers : nil
  }

  /// The bytes of all sections that this file adds to its base, as they are in memory.
  var addedCount: Int {
    header.sections.reduce(0) { $0 + ($1.delta?.byteCount ?? $1.byteCount) }
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

  package func pages(ofSection index: Int) -> any PageSource { FilePages(self, index) }

  /// Reads a whole section; false, and damage is noted, if it is not what was written.
  package func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard let base = target.baseAddress, header.sections[index].byteCount > 0 else { return true }
    return FilePages(self, index).read(into: base, room: target.count)
  }

  /// Whether all of a part is what was written.
  /// - Complexity: reads it.
  package func isIntact(part name: String) -> Bool {
    guard let part = header.parts.first(where: { $0.name == name }) else { return false }
    return part.sections.allSatisfy { bytes(ofSection: $0) != nil }
  }
}

/// Why a checkpoint is not used.
public enum CheckpointFault: Error, Equatable, Sendable {
  case unreadable(FileError)
  /// Some bytes are not those that were written.
  case damaged
  /// The format is unknown to this code.
  case newer
  /// An earlier version of this code wrote it.
  case older
  /// It continues another that is gone.
  case incomplete
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
    case .older: "is of an older format"
    case .incomplete: "continues one that is gone"
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
    if int() > 0 { header.base = .init(name: text(), sum: number()) }
    for _ in 0..<min(int(), bytes.count) {
      let (name, version, first, count) = (text(), int(), int(), int())
      header.parts.append(.init(name: name, version: version, sections: first..<first + count))
    }
    for _ in 0..<min(int(), bytes.count) {
      var section = CheckpointFile.Section(
        offset: int(), byteCount: int(), stride: int(), packedCount: int(), sum: number())
      if int() > 0 { section.delta = .init(origin: int(), pageCount: int(), partCount: int()) }
      header.sections.append(section)
    }
    return header
  }
}
