import Events

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
    // All that is to be written whole is read before anything is written: it may be damaged.
    for (section, delta) in zip(sections, continued.deltas) where delta == nil {
      section.withBytes { _ in }
    }
    let changes = continued.deltas.map { $0.map { Changed($0.origin, $0.changes) } }
    let origins = sections.lazy.compactMap { $0.changes?.origin as? FilePages }
    if origins.contains(where: { $0.file.isDamaged }) { return false }
    let temporary = path + ".\(UInt64.random(in: .min ... .max)).tmp"
    try files.replace(path, in: folder, by: temporary) { (file) throws(FileError) in
      var writer = Writer(files: files, file: file, path: temporary)
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

    /// Writes the pages of a section, packed.
    /// - Returns: for each page, where it ends and its sum.
    mutating func pack(_ section: StateCoder.Section) throws(FileError) -> [UInt64] {
      var list: [UInt64] = []
      let start = offset
      var result: Result<Void, FileError> = .success(())
      section.withBytes { raw in
        guard let base = raw.baseAddress, section.byteCount > 0 else { return }
        result = Result { () throws(FileError) in
          for at in stride(from: 0, to: section.byteCount, by: Pages.size) {
            let number = at / Pages.size
            let page = PackedPage(
              number, stride: section.stride, tableCount: section.byteCount)
            let bytes = [UInt8](unsafeUninitializedCapacity: PackedPage.maxCount) { room, count in
              if let target = room.baseAddress { count = page.pack(base + at, into: target) }
            }
            try write(bytes)
            list += [UInt64(offset - start), XXH64.hash(bytes, seed: UInt64(number))]
          }
        }
      }
      try result.get()
      return list
    }

    mutating func flush() throws(FileError) {
      var result: Result<Void, FileError> = .success(())
      waiting.withUnsafeBytes { bytes in
        result = Result { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
      }
      try result.get()
      waiting.removeAll(keepingCapacity: true)
    }

    /// Moves to the next multiple of 8.
    mutating func align() throws(FileError) {
      try write([UInt8](repeating: 0, count: -offset & 7))
    }
  }

  private static func listSum(_ list: [UInt64]) -> UInt64 {
    list.withUnsafeBytes { XXH64.hash($0.baseAddress, $0.count, seed: 2) }
  }

  /// What of a section has changed, as it is written.
  private struct Changed {
    let delta: Delta
    /// The list of changed pages, and their parts.
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

  /// How many bytes the new file holds, as they are in memory.
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
      put(section.packedCount)
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
