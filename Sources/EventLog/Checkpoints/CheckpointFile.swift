import Events
import Synchronization

/// One checkpoint file, open for reading. Its header is in memory; pages are read and checked on
/// demand.
///
/// All numbers are little-endian. The file has the bytes of `magic`; the sections, each at a
/// multiple of 8; the header; the header's length and checksum (8 bytes each).
///
/// A section holds one table. It has packed pages (`PackedPage`), each of 4 KiB before packing,
/// then a list at the next multiple of 8. The list has two numbers for each page: where the page's
/// packed bytes end, counted from the section's start, and their XXH64 checksum. The seed of that
/// checksum is the page's number. The header has the list's checksum, so one page can be checked
/// alone.
///
/// A file may hold only the changes since an earlier checkpoint file, its base. The header then has
/// the base's name and the checksum of the base's header. A section may then hold only the changes
/// to a section of the base. It has an entry for each changed page: the page's number, a bit for
/// each of the page's 64 parts that changed, and the checksum of the changed parts. The changed
/// parts follow the entries. A page is read from the complete file first, then from each file that
/// holds changes to it.
package final class CheckpointFile: Sendable {
  static let magic = Array("eventlog checkpoint format \(arrangement)\n\0\0\0".utf8)
  /// The number of the arrangement of bytes that this type reads and writes: one digit.
  static let arrangement = 3

  /// Returns the format of a file with these parts, such as `3-1f0c93aa`: the arrangement's number,
  /// and a hash of the parts' names and versions.
  static func format(of parts: [StateCoder.Part]) -> String {
    let text = parts.map { "\($0.name) \($0.version)\n" }.joined()
    let hash = String(XXH64.hash(Array(text.utf8), seed: 0) >> 32, radix: 16)
    return "\(arrangement)-" + String(repeating: "0", count: 8 - hash.utf8.count) + hash
  }

  package let path: String
  let header: Header
  let sum: UInt64
  /// The earlier file that this file builds on: this file holds only what changed since then. Nil
  /// if this file is complete.
  let base: CheckpointFile?
  private let files: FileSystem
  private let descriptor: Int32
  private let damaged = Atomic(false)
  private let isRemoved = Atomic(false)

  /// The position, time and checksum of the last event that the saved state includes.
  package var head: LogHead { header.head }
  /// For each unknown type, the number of its events up to `head`. The state skipped these events.
  package var skipped: [UnknownType: Int] { header.skipped }

  /// Opens a checkpoint file and its bases.
  /// - Parameter depth: the number of files that were opened before this one in the chain of bases;
  ///   0 for the newest file.
  init(path: String, _ files: FileSystem, depth: Int = 0) throws(CheckpointFault) {
    (self.path, self.files) = (path, files)
    do throws(FileError) {
      descriptor = try files.open(path, .read)
    } catch {
      throw .unreadable(error)
    }
    var start = [UInt8](repeating: 0, count: Self.magic.count)
    var end = [UInt8](repeating: 0, count: 16)
    let size = (try? files.status(path).size) ?? 0
    do throws(CheckpointFault) {
      try Self.fill(&start, at: 0, descriptor, path, files)
      guard start == Self.magic else {
        guard start.starts(with: Self.magic.prefix(27)) else { throw .damaged }
        throw start[27] < Self.magic[27] ? .older : .newer
      }
      guard size >= start.count + end.count else { throw .damaged }
      try Self.fill(&end, at: size - end.count, descriptor, path, files)
      let length = end.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
      sum = end.withUnsafeBytes {
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
      guard length < 1 << 24, Int(length) <= size - start.count - end.count else {
        throw .damaged
      }
      var body = [UInt8](repeating: 0, count: Int(length))
      try Self.fill(&body, at: size - end.count - body.count, descriptor, path, files)
      guard XXH64.hash(body, seed: 1) == sum else { throw .damaged }
      let header = Header(body)
      self.header = header
      base = try header.base.map { (base) throws(CheckpointFault) in
        try Self.open(base, beside: path, files, depth)
      }
    } catch {
      try? files.close(descriptor, path)
      throw error
    }
    // A correct checksum does not prove that the header's offsets and sizes are valid.
    guard header.sections.allSatisfy({ $0.end <= size && isSound($0) }) else {
      throw .damaged
    }
  }

  private static func open(
    _ base: Base, beside path: String, _ files: FileSystem, _ depth: Int
  ) throws(CheckpointFault) -> CheckpointFile {
    // A base must be in the same folder. The depth limit stops bases that refer to each other in a
    // circle.
    guard !base.name.contains("/"), depth < 64 else { throw .damaged }
    do throws(CheckpointFault) {
      let file = try CheckpointFile(
        path: parentDirectory(path) + "/" + base.name, files, depth: depth + 1)
      if file.sum == base.sum { return file }
    } catch {
      // The base was removed or replaced. This file is then useless, but it is not damaged.
    }
    throw .incomplete
  }

  /// Whether a section's size in the header is possible. Its packed bytes limit the size; for a
  /// section with only changes, the base's section limits it.
  private func isSound(_ section: Section) -> Bool {
    guard let delta = section.delta else {
      // Otherwise a small damaged file could make the reader allocate much memory.
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

  /// Whether a read found a damaged page, in this file or in a file that it builds on.
  package var isDamaged: Bool { damaged.load(ordering: .acquiring) || base?.isDamaged == true }

  func noteDamage() { damaged.store(true, ordering: .releasing) }

  func read(_ offset: Int, _ count: Int, into target: UnsafeMutableRawPointer) -> Bool {
    Self.readAll(files, descriptor, target, count, offset, path)
  }

  /// Reads and returns a section's list of pages. If the list is damaged, returns nil and records
  /// the damage.
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

  /// The size in bytes, in memory, of the data in this file. Data in the files that it builds on
  /// does not count.
  var addedCount: Int {
    header.sections.reduce(0) { $0 + ($1.delta?.byteCount ?? $1.byteCount) }
  }
}

extension CheckpointFile: SavedState {
  package var name: String { path }

  package func remove() {
    // Removes the file only once, because another process may have written a new file to the same
    // path.
    if !isRemoved.exchange(true, ordering: .relaxed) { try? files.remove(path) }
    if let base, base.isDamaged { base.remove() }
  }

  package func sections(ofPart name: String, version: Int) -> Range<Int>? {
    header.parts.first { $0.name == name && $0.version == version }?.sections
  }

  package func layout(ofSection index: Int) -> (stride: Int, byteCount: Int)? {
    guard header.sections.indices.contains(index) else { return nil }
    return (header.sections[index].stride, header.sections[index].byteCount)
  }

  package func pages(ofSection index: Int) -> any PageSource { FilePages(self, index) }

  /// Reads a whole section into `target`. If the section is damaged, returns false and records the
  /// damage.
  package func read(section index: Int, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard let base = target.baseAddress, header.sections[index].byteCount > 0 else { return true }
    return FilePages(self, index).read(into: base, room: target.count)
  }

  /// Reads all sections of a part, and returns whether they are undamaged.
  package func isIntact(part name: String) -> Bool {
    guard let part = header.parts.first(where: { $0.name == name }) else { return false }
    return part.sections.allSatisfy { bytes(ofSection: $0) != nil }
  }
}

extension CheckpointFile {
  /// Writes a checkpoint file under a temporary name, syncs it and renames it. If tables were
  /// restored from an earlier checkpoint file and have few changes, writes only these changes.
  /// - Returns: false, without writing anything, if that earlier checkpoint file is damaged.
  static func write(
    _ parts: [StateCoder.Part], head: LogHead, skipped: [UnknownType: Int], to path: String,
    in folder: String, _ files: FileSystem
  ) throws(FileError) -> Bool {
    var header = Header(head: head, skipped: skipped)
    var sections: [StateCoder.Section] = []
    for part in parts {
      let first = sections.count
      sections += part.all
      header.parts.append(
        Part(name: part.name, version: part.version, sections: first..<sections.count))
    }
    let continued = Continued(sections, at: path, files)
    header.base = continued.base.map { Base(name: fileName($0.path), sum: $0.sum) }
    // Reads all tables that will be written in full, to find damage in them before anything is
    // written.
    for (section, delta) in zip(sections, continued.deltas) where delta == nil {
      section.withBytes { _ in }
    }
    let changes = continued.deltas.map { $0.map { Changed($0.origin, $0.changes) } }
    let origins = sections.lazy.compactMap { $0.changes?.origin as? FilePages }
    if origins.contains(where: { $0.file.isDamaged }) { return false }
    let temporary = path + ".\(UInt64.random(in: .min ... .max)).tmp"
    try files.replace(path, in: folder, by: temporary) { (file) throws(FileError) in
      var writer = CheckpointWriter(files: files, file: file, path: temporary)
      try writer.write(magic)
      for (section, changed) in zip(sections, changes) {
        try writer.align()
        var entry = Section(
          offset: writer.offset, byteCount: section.byteCount, stride: section.stride,
          delta: changed?.delta)
        if let changed {
          entry.sum = changed.sum
          try writer.write(changed.bytes)
        } else {
          let list = try writer.pack(section)
          entry.packedCount = writer.offset - entry.offset
          entry.sum = listSum(list)
          try writer.align()
          try writer.write(littleEndian(list))
        }
        header.sections.append(entry)
      }
      let body = header.bytes
      try writer.write(body)
      try writer.write(littleEndian([UInt64(body.count), XXH64.hash(body, seed: 1)]))
      try writer.flush()
    }
    return true
  }

  private static func listSum(_ list: [UInt64]) -> UInt64 {
    list.withUnsafeBytes { XXH64.hash($0.baseAddress, $0.count, seed: 2) }
  }

  private struct Changed {
    let delta: Delta
    let bytes: [UInt8]
    let sum: UInt64

    init(_ origin: Int, _ changes: StateCoder.Changes) {
      var list: [UInt64] = []
      var parts: [UInt8] = []
      changes.withPagesInMemory { raw in
        for (page, changed) in changes.parts.enumerated() where changed != 0 {
          let start = parts.count
          Self.append(changed, of: page, raw, to: &parts)
          let sum = parts.withUnsafeBytes {
            XXH64.hash($0.baseAddress.map { $0 + start }, parts.count - start, seed: UInt64(page))
          }
          let change = ChangedPage(
            page: page, parts: changed, start: start / Pages.partSize, sum: sum)
          list += change.numbers
        }
      }
      delta = Delta(
        origin: origin, pageCount: list.count / 3, partCount: parts.count / Pages.partSize)
      sum = listSum(list)
      bytes = littleEndian(list) + parts
    }

    /// Appends the changed parts of a page to `bytes`. Bytes beyond the end of the section are
    /// zero.
    private static func append(
      _ changed: UInt64, of page: Int, _ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]
    ) {
      var left = changed
      while left != 0 {
        let start = min(page * Pages.size + left.trailingZeroBitCount * Pages.partSize, raw.count)
        let end = min(start + Pages.partSize, raw.count)
        bytes += raw[start..<end]
        bytes += repeatElement(0, count: Pages.partSize - (end - start))
        left &= left - 1
      }
    }
  }
}

/// The earlier file that a new checkpoint file builds on, and each section's changes since then.
private struct Continued {
  /// The earlier file that the new file builds on; nil if the new file must be complete.
  var base: CheckpointFile?
  /// For each section, the index of the same section in `base`, and the changed parts by page; nil
  /// if the section is written in full.
  var deltas: [(origin: Int, changes: StateCoder.Changes)?]

  /// Chooses the earlier file that the new file builds on (`base`). The new file includes the
  /// changes of earlier files that are not much larger than itself. Few files then remain, and each
  /// byte is written only a few times. The new file is complete if all changes together would reach
  /// a quarter of the complete file's size.
  /// - Parameter path: the new file's path. The new file replaces an older file at this path, so it
  ///   cannot build on that file.
  init(_ sections: [StateCoder.Section], at path: String, _ files: FileSystem) {
    var base = sections.lazy.compactMap { ($0.changes?.origin as? FilePages)?.file }.first
    deltas = sections.map { section in
      guard let changes = section.changes, let pages = changes.origin as? FilePages,
        pages.file === base
      else { return nil }
      return (pages.index, changes)
    }
    while let file = base, let below = file.base, file.addedCount <= 2 * size(sections) {
      for index in deltas.indices {
        guard let (origin, changes) = deltas[index] else { continue }
        deltas[index] = Self.merged(file, origin, changes)
      }
      base = below
    }
    var added = size(sections)
    var root = base
    var isReplaced = base?.path == path
    while let file = root, let below = file.base {
      added += file.addedCount
      root = below
      isReplaced = isReplaced || below.path == path
    }
    // Another process may have removed the file from which the state was restored.
    let isThere = base.map { (try? CheckpointFile(path: $0.path, files))?.sum == $0.sum } ?? false
    guard let root, !isReplaced, isThere, added * 4 < root.addedCount else {
      deltas = sections.map { _ in nil }
      return
    }
    self.base = base
  }

  /// Combines a section's changes since `file` with the changes in `file` itself. Returns the
  /// changes since the base of `file`; nil if `file` has the complete section.
  private static func merged(
    _ file: CheckpointFile, _ origin: Int, _ changes: StateCoder.Changes
  ) -> (Int, StateCoder.Changes)? {
    guard let delta = file.header.sections[origin].delta,
      let earlier = FilePages(file, origin).changedParts()
    else { return nil }
    changes.noteChanged(earlier)
    var merged = changes
    for page in merged.parts.indices where page < earlier.count {
      merged.parts[page] |= earlier[page]
    }
    return (delta.origin, merged)
  }

  /// Returns the size in memory of the data that the new file will hold, in bytes.
  private func size(_ sections: [StateCoder.Section]) -> Int {
    zip(sections, deltas).reduce(0) { sum, pair in
      guard let (_, changes) = pair.1 else { return sum + pair.0.byteCount }
      return changes.parts.reduce(sum) { sum, parts in
        parts == 0
          ? sum : sum + ChangedPage.byteCount + parts.nonzeroBitCount * Pages.partSize
      }
    }
  }
}
