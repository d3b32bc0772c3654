import Events

/// The sealed lines of a pipe or of standard input, read in blocks. Its memory is one block.
package struct SealedStream: ~Copyable {
  /// The number of bytes to read before a block ends, at the last line feed.
  private static let blockSize = 4 << 20

  private let file: Int32
  private let files: FileSystem
  private let name: String
  private var last: LogHead
  private let first: UInt64
  private var offset = 0
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// Creates a stream that reads standard input.
  /// - Parameter before: the event before the first line.
  package init(after before: LogHead, files: FileSystem = .posix) {
    (file, name, self.files) = (0, "standard input", files)
    (last, first) = (before, before.seq + 1)
  }

  /// Returns the next lines; nil at the end. A last line may lack its line feed.
  /// - Throws: `.file`
  package mutating func next() throws(LogError) -> LineBlock? {
    let buffer = BufferPool().buffer(capacity: Self.blockSize + rest.count)
    append(rest, to: buffer)
    var end: Int?
    while end == nil || buffer.count < Self.blockSize, !isAtEnd {
      let count = try read(into: buffer)
      isAtEnd = count == 0
      if let feed = Self.lastLineFeed(buffer, from: buffer.count - count) { end = feed + 1 }
      // A longer line is never valid; the scanner reports it.
      if end == nil, buffer.count > LineParser.longestLine + Self.blockSize { break }
    }
    if isAtEnd || end == nil {
      if buffer.count > (end ?? 0) { buffer.append(0x0a) }
      end = buffer.count
    }
    guard let end, end > 0 else { return nil }
    rest = Array(UnsafeBufferPointer(start: buffer.bytes + end, count: buffer.count - end))
    let bytes = UnsafeBufferPointer(start: buffer.bytes, count: buffer.count)
    defer {
      offset += end
      last.sum = recordedSum(bytes, before: end) ?? 0
    }
    return LineBlock(
      buffer, 0..<end, after: last.sum, file: name, firstInFile: first, offset: offset,
      beginsFile: offset == 0, beginsHistory: offset == 0 && first == 1, byteCount: end)
  }

  private func append(_ bytes: [UInt8], to buffer: LineBuffer) {
    let target = buffer.reserve(bytes.count)
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress { target.copyMemory(from: base, byteCount: source.count) }
    }
    buffer.grow(bytes.count)
  }

  private func read(into buffer: LineBuffer) throws(LogError) -> Int {
    let size = 256 << 10
    let target = buffer.reserve(size)
    let count = try io { () throws(FileError) in try files.read(file, target, size, nil, name) }
    buffer.grow(count)
    return count
  }

  private static func lastLineFeed(_ buffer: LineBuffer, from start: Int) -> Int? {
    var at = buffer.count
    while at > start {
      at -= 1
      if buffer.bytes[at] == 0x0a { return at }
    }
    return nil
  }
}
