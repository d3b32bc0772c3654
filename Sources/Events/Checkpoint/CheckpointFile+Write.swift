extension CheckpointFile {
  /// Writes a checkpoint under a temporary name, syncs it, and gives it its name. What was restored
  /// from an earlier one is written as what has changed since, while that is little.
  /// - Returns: false, and nothing is written, if that earlier one turns out to be damaged.
  static func write(
    _ parts: [StateCoder.Part], head: LogHead, skipped: [UnknownType: Int], to path: String,
    in folder: String, _ files: FileSystem
  ) throws(FileError) -> Bool {
    var header = Header(head: head, skipped: skipped)
    var sections: [StateCoder.Section] = []
    for part in parts {
      let values = part.values
      let first = sections.count
      sections.append(
        .init(stride: 1, byteCount: values.count) { body in values.withUnsafeBytes(body) })
      sections += part.sections
      header.parts.append(
        Part(name: part.name, version: part.version, sections: first..<sections.count))
    }
    let continued = Continued(sections, at: path, files)
    header.base = continued.base.map { Base(name: fileName($0.path), sum: $0.sum) }
    let contents = zip(sections, continued.deltas).map { Content($0, $1) }
    // All that is to be written has been read by now.
    let origins = sections.lazy.compactMap { $0.changes?.origin as? FilePages }
    if origins.contains(where: { $0.file.isDamaged }) { return false }
    for (section, content) in zip(sections, contents) {
      header.sections.append(
        Section(
          offset: 0, byteCount: section.byteCount, stride: section.stride, sum: content.sum,
          delta: content.delta))
    }
    // The header's length does not depend on the offsets in it.
    var offset = magic.count + 16 + header.bytes.count
    for index in header.sections.indices {
      offset = (offset + 7) / 8 * 8
      header.sections[index].offset = offset
      offset = header.sections[index].end
    }
    let temporary = path + ".\(UInt64.random(in: .min ... .max)).tmp"
    try files.replace(path, in: folder, by: temporary) { (file) throws(FileError) in
      var writer = Writer(files: files, file: file, path: temporary)
      let body = header.bytes
      try writer.write(magic + littleEndian([UInt64(body.count), XXH64.hash(body, seed: 1)]))
      try writer.write(body)
      for (content, section) in zip(contents, header.sections) {
        try writer.pad(to: section.offset)
        if content.delta != nil {
          try writer.write(content.bytes)
        } else {
          try writer.write(content.section)
          try writer.pad(to: section.sumsOffset)
          try writer.write(content.bytes)
        }
      }
      try writer.flush()
    }
    return true
  }

  private struct Writer {
    let files: FileSystem
    let file: Int32
    let path: String
    var offset = 0
    /// What is small is written together.
    var waiting: [UInt8] = []

    mutating func write(_ bytes: [UInt8]) throws(FileError) {
      waiting += bytes
      offset += bytes.count
      if waiting.count > 1 << 20 { try flush() }
    }

    mutating func write(_ section: StateCoder.Section) throws(FileError) {
      try flush()
      var result: Result<Void, FileError> = .success(())
      section.withBytes { raw in
        let bytes = UnsafeRawBufferPointer(start: raw.baseAddress, count: section.byteCount)
        result = Result { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
      }
      try result.get()
      offset += section.byteCount
    }

    mutating func flush() throws(FileError) {
      var result: Result<Void, FileError> = .success(())
      waiting.withUnsafeBytes { bytes in
        result = Result { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
      }
      try result.get()
      waiting.removeAll(keepingCapacity: true)
    }

    mutating func pad(to wanted: Int) throws(FileError) {
      try write([UInt8](repeating: 0, count: wanted - offset))
    }
  }
}

/// Which earlier checkpoint a new one continues, and what of each section has changed since.
private struct Continued {
  /// Nil for a checkpoint that is to be whole.
  var base: CheckpointFile?
  /// For each section, the base's section and the changed parts by page; nil for one to be whole.
  var deltas: [(origin: Int, changes: StateCoder.Changes)?]

  /// A new file takes in earlier ones that are not much larger than itself, so that there are few
  /// and each byte is written only a few times; when they hold a quarter of what they continue, all
  /// is written anew.
  /// - Parameter path: of the new file, which cannot continue one that it takes the place of.
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
    // Another process may have removed what was restored from.
    let isThere = base.map { (try? CheckpointFile(path: $0.path, files))?.sum == $0.sum } ?? false
    guard let root, !isReplaced, isThere, added * 4 < root.addedCount else {
      deltas = sections.map { _ in nil }
      return
    }
    self.base = base
  }

  /// A section's changes, with those that the file holds, as changes of what the file continues;
  /// nil if the file has the section whole.
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

  /// How many bytes the sections take in the new file.
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

/// A section as it is written.
private struct Content {
  let section: StateCoder.Section
  var delta: CheckpointFile.Delta?
  /// The sums of the section's blocks, which follow it; or all there is of one that has changed.
  let bytes: [UInt8]
  let sum: UInt64

  init(_ section: StateCoder.Section, _ continued: (origin: Int, changes: StateCoder.Changes)?) {
    self.section = section
    var list: [UInt64] = []
    var parts: [UInt8] = []
    if let (origin, changes) = continued {
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
      delta = CheckpointFile.Delta(
        origin: origin, pageCount: list.count / 3, partCount: parts.count / Pages.partSize)
    } else {
      list = Self.blockSums(section)
    }
    sum = list.withUnsafeBytes { XXH64.hash($0.baseAddress, $0.count, seed: 2) }
    bytes = littleEndian(list) + parts
  }

  /// Appends some parts of a page; of the section's last part what is missing is zero.
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

  private static func blockSums(_ section: StateCoder.Section) -> [UInt64] {
    var sums: [UInt64] = []
    section.withBytes { raw in
      guard let base = raw.baseAddress else { return }
      for start in stride(from: 0, to: section.byteCount, by: Pages.size) {
        let count = min(Pages.size, section.byteCount - start)
        let number = UInt64(start / Pages.size)
        sums.append(XXH64.hash(base + start, count, seed: number))
      }
    }
    return sums
  }
}

private func littleEndian(_ values: [UInt64]) -> [UInt8] {
  values.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
}

extension CheckpointFile.Header {
  /// The header's bytes, which `HeaderReader` reads.
  fileprivate var bytes: [UInt8] {
    var out: [UInt8] = []
    func put(_ number: UInt64) { out += littleEndian([number]) }
    func put(_ number: Int) { put(UInt64(number)) }
    func put(_ text: String) {
      put(text.utf8.count)
      out += Array(text.utf8)
    }
    put(head.seq)
    put(UInt64(bitPattern: head.time.milliseconds))
    put(head.sum)
    put(skipped.count)
    for (type, count) in skipped.sorted(by: {
      ($0.key.name, $0.key.version) < ($1.key.name, $1.key.version)
    }) {
      put(type.name)
      put(type.version)
      put(count)
    }
    put(base == nil ? 0 : 1)
    if let base {
      put(base.name)
      put(base.sum)
    }
    put(parts.count)
    for part in parts {
      put(part.name)
      put(part.version)
      put(part.sections.lowerBound)
      put(part.sections.count)
    }
    put(sections.count)
    for section in sections {
      put(section.offset)
      put(section.byteCount)
      put(section.stride)
      put(section.sum)
      put(section.delta == nil ? 0 : 1)
      if let delta = section.delta {
        put(delta.origin)
        put(delta.pageCount)
        put(delta.partCount)
      }
    }
    return out
  }
}
