import Events

extension CheckpointFile {
  struct Section: Sendable {
    var offset: Int
    /// The size of the complete section in bytes, even if this file holds only changes.
    var byteCount: Int
    var stride: Int
    /// The size of the packed pages in this file, in bytes; 0 if the file holds only changes to the
    /// section.
    var packedCount = 0
    /// The checksum of the section's list of pages or of changed pages.
    var sum: UInt64 = 0
    var delta: Delta?

    var pageCount: Int { (byteCount + Pages.size - 1) / Pages.size }
    var listOffset: Int { (offset + packedCount + 7) / 8 * 8 }
    var end: Int {
      guard let delta else { return listOffset + pageCount * 16 }
      return offset + delta.byteCount
    }
  }

  /// A section's changes since an earlier file: that file's section, and the number of changes.
  struct Delta: Sendable {
    var origin: Int
    var pageCount: Int
    var partCount: Int

    var listCount: Int { pageCount * ChangedPage.byteCount }
    var byteCount: Int { listCount + partCount * Pages.partSize }
  }

  struct Base: Sendable {
    var name: String
    var sum: UInt64
  }

  struct Part: Sendable {
    var name: String
    var version: Int
    var sections: Range<Int>
  }

  /// The list of a checkpoint file's contents, and the last event that the saved state includes.
  struct Header: Sendable {
    var head = LogHead()
    var skipped: [UnknownType: Int] = [:]
    var base: Base?
    var parts: [Part] = []
    var sections: [Section] = []
  }
}

func littleEndian(_ values: [UInt64]) -> [UInt8] {
  values.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
}

extension CheckpointFile.Header {
  var bytes: [UInt8] {
    var (header, coder) = (self, HeaderCoder())
    coder.code(&header)
    return Array(coder.bytes)
  }

  /// Decodes a header whose checksum was correct. Its values may still be out of bounds.
  init(_ bytes: [UInt8]) {
    var coder = HeaderCoder(bytes: bytes[...], isReading: true)
    coder.code(&self)
  }
}

/// An encoder and decoder of a header. One list of fields serves both.
private struct HeaderCoder {
  var bytes: ArraySlice<UInt8> = []
  var isReading = false

  mutating func number(_ number: inout UInt64) {
    if isReading {
      number = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
      bytes = bytes.dropFirst(8)
    } else {
      bytes += littleEndian([number])
    }
  }

  mutating func int(_ int: inout Int) {
    var number = UInt64(int)
    self.number(&number)
    int = Int(truncatingIfNeeded: number & 0xffff_ffff_ffff)
  }

  mutating func text(_ text: inout String) {
    var count = text.utf8.count
    int(&count)
    if isReading {
      text = String(decoding: bytes.prefix(count), as: UTF8.self)
      bytes = bytes.dropFirst(count)
    } else {
      bytes += Array(text.utf8)
    }
  }

  mutating func list<Element>(
    _ list: inout [Element], _ blank: Element, _ body: (inout Self, inout Element) -> Void
  ) {
    var count = list.count
    int(&count)
    if isReading { list = Array(repeating: blank, count: min(count, bytes.count)) }
    for index in list.indices { body(&self, &list[index]) }
  }

  mutating func code(_ header: inout CheckpointFile.Header) {
    number(&header.head.seq)
    var time = UInt64(bitPattern: header.head.time.milliseconds)
    number(&time)
    header.head.time = Timestamp(milliseconds: Int64(bitPattern: time))
    number(&header.head.sum)
    var skipped = header.skipped.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    list(&skipped, (UnknownType(name: "", version: 0), 0)) { coder, entry in
      coder.text(&entry.0.name)
      coder.int(&entry.0.version)
      coder.int(&entry.1)
    }
    header.skipped = Dictionary(firstOf: skipped)
    var bases = header.base.map { [$0] } ?? []
    list(&bases, .init(name: "", sum: 0)) { coder, base in
      coder.text(&base.name)
      coder.number(&base.sum)
    }
    header.base = bases.first
    list(&header.parts, .init(name: "", version: 0, sections: 0..<0)) { coder, part in
      var (first, count) = (part.sections.lowerBound, part.sections.count)
      coder.text(&part.name)
      coder.int(&part.version)
      coder.int(&first)
      coder.int(&count)
      part.sections = first..<first + count
    }
    list(&header.sections, .init(offset: 0, byteCount: 0, stride: 0)) { coder, section in
      coder.int(&section.offset)
      coder.int(&section.byteCount)
      coder.int(&section.stride)
      coder.int(&section.packedCount)
      coder.number(&section.sum)
      var deltas = section.delta.map { [$0] } ?? []
      coder.list(&deltas, .init(origin: 0, pageCount: 0, partCount: 0)) { coder, delta in
        coder.int(&delta.origin)
        coder.int(&delta.pageCount)
        coder.int(&delta.partCount)
      }
      section.delta = deltas.first
    }
  }
}

/// The reason why a checkpoint is not used.
public enum CheckpointFault: Error, Equatable, Sendable {
  /// The checkpoint file cannot be opened.
  case unreadable(FileError)
  /// Some of the file's bytes differ from those written.
  case damaged
  /// A newer version of this code wrote the file.
  case newer
  /// An earlier version of this code wrote the file.
  case older
  /// The file holds only changes to another checkpoint file, which is missing.
  case incomplete
  /// The checkpoint belongs to another log, or to this log before it was replaced.
  case foreign
  /// The checkpoint's position is beyond the log's last event: the log lost its last events.
  case ahead(position: UInt64, head: UInt64)
}

extension CheckpointFault: CustomStringConvertible {
  /// The fault, as a phrase that follows the file's path.
  public var description: String {
    switch self {
    case .unreadable(let error): "cannot be read (\(error))"
    case .damaged: "is damaged"
    case .newer: "has a newer format"
    case .older: "has an older format"
    case .incomplete: "needs another checkpoint that is missing"
    case .foreign: "belongs to another log"
    case .ahead(let position, let head):
      "is at revision \(position), but the log ends at \(head): the log lost its last events"
    }
  }
}
