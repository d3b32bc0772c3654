extension CheckpointFile {
  /// Writes a checkpoint under a temporary name, syncs it, and gives it its name.
  static func write(
    _ parts: [StateCoder.Part], head: LogHead, skipped: [UnknownType: Int], to path: String,
    in folder: String, _ files: FileSystem
  ) throws(FileError) {
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
    let sums = sections.map(blockSums)
    for (section, sums) in zip(sections, sums) {
      header.sections.append(
        Section(
          offset: 0, byteCount: section.byteCount, stride: section.stride,
          sum: sums.withUnsafeBytes { XXH64.hash($0.baseAddress, $0.count, seed: 2) }))
    }
    // The header's length does not depend on the offsets in it.
    var offset = magic.count + 16 + header.bytes.count
    for index in header.sections.indices {
      offset = (offset + Pages.size - 1) / Pages.size * Pages.size
      header.sections[index].offset = offset
      offset = header.sections[index].end
    }
    let temporary = path + ".\(UInt64.random(in: .min ... .max)).tmp"
    try files.replace(path, in: folder, by: temporary) { (file) throws(FileError) in
      var writer = Writer(files: files, file: file, path: temporary)
      let body = header.bytes
      try writer.write(magic + littleEndian(UInt64(body.count)))
      try writer.write(littleEndian(XXH64.hash(body, seed: 1)) + body)
      for (index, section) in sections.enumerated() {
        try writer.pad(to: header.sections[index].offset)
        try writer.write(section)
        try writer.pad(to: header.sections[index].sumsOffset)
        try writer.write(sums[index].flatMap(littleEndian))
      }
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

  private struct Writer {
    let files: FileSystem
    let file: Int32
    let path: String
    var offset = 0

    mutating func write(_ bytes: [UInt8]) throws(FileError) {
      try write(StateCoder.Section(stride: 1, byteCount: bytes.count) { bytes.withUnsafeBytes($0) })
    }

    mutating func write(_ section: StateCoder.Section) throws(FileError) {
      var result: Result<Void, FileError> = .success(())
      section.withBytes { raw in
        let bytes = UnsafeRawBufferPointer(start: raw.baseAddress, count: section.byteCount)
        result = Result { () throws(FileError) in try files.writeAll(bytes, to: file, path) }
      }
      try result.get()
      offset += section.byteCount
    }

    mutating func pad(to wanted: Int) throws(FileError) {
      try write([UInt8](repeating: 0, count: wanted - offset))
    }
  }
}

private func littleEndian(_ value: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

extension CheckpointFile.Header {
  /// The header's bytes, which `HeaderReader` reads.
  fileprivate var bytes: [UInt8] {
    var out: [UInt8] = []
    func put(_ number: UInt64) { out += littleEndian(number) }
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
    }
    return out
  }
}
