/// A log in memory, as the bytes of its sealed lines in order. The bytes are the same as in the
/// segments of a log on disk.
///
/// ```swift
/// var replay = Replay(FollowerRanking())
/// try replay.apply(LogBytes(bytes))
/// ```
/// - Complexity: Creating the log scans the bytes once for line feeds. Memory is the bytes and one
///   integer for each line.
public struct LogBytes: History {
  /// The bytes of the lines. They have padding, so that fast code may read a few bytes after the
  /// end.
  private let bytes: [UInt8]
  /// The offset of the end of each line, after its line feed.
  private let ends: [Int]
  /// The number of bytes after the last line feed; the log ignores them.
  public let tail: Int
  public let name: String

  /// Creates a log from the bytes of its lines.
  /// - Parameters:
  ///   - bytes: The log from its first line on; a last line without line feed is ignored.
  ///   - name: The log's name in error messages.
  public init(_ bytes: [UInt8], name: String = "log") {
    self = bytes.withUnsafeBufferPointer { LogBytes($0, name: name) }
  }

  /// Creates a log from a copy of the bytes of its lines.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, name: String = "log") {
    self.name = name
    ends = Self.ends(of: bytes)
    let count = ends.last ?? 0
    tail = bytes.count - count
    self.bytes = Self.padded(UnsafeBufferPointer(rebasing: bytes[..<count]))
  }

  /// Creates a log from bytes and the ends of its lines; `prefix` uses it.
  private init(_ bytes: [UInt8], _ ends: [Int], _ name: String) {
    (self.bytes, self.ends, self.name, tail) = (bytes, ends, name, 0)
  }

  /// Returns a log with the first `lines` lines of this log; both share the same memory.
  public func prefix(_ lines: UInt64) -> LogBytes {
    LogBytes(bytes, Array(ends.prefix(Int(clamping: lines))), name)
  }

  private static func padded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let count = bytes.count + LineBuffer.padding
    return Array(unsafeUninitializedCapacity: count) { room, filled in
      room.initialize(repeating: 0)
      if let base = bytes.baseAddress {
        room.baseAddress?.update(from: base, count: bytes.count)
      }
      filled = count
    }
  }

  private static func ends(of bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
    var ends: [Int] = []
    var at = 0
    guard let base = bytes.baseAddress else { return ends }
    while let feed = firstLineFeed(base + at, bytes.count - at) {
      at = feed - UnsafeRawPointer(base) + 1
      ends.append(at)
    }
    return ends
  }

  /// The number of lines in the log.
  public var count: UInt64 { UInt64(ends.count) }

  public var size: Int { ends.last ?? 0 }

  public func head() throws(LogError) -> LogHead {
    guard let line = try line(at: count) else { return LogHead() }
    return LogHead(line.event)
  }

  /// A range of the log's lines, numbered from 0.
  public struct Chunk: Sendable {
    var lines: Range<Int>
  }

  /// Returns the offset in the bytes at which a line begins; lines are numbered from 0.
  private func start(_ line: Int) -> Int { line == 0 ? 0 : ends[line - 1] }

  public func chunks(after position: UInt64, until: UInt64) -> [Chunk] {
    var chunks: [Chunk] = []
    var line = Int(clamping: position)
    let end = min(Int(clamping: until), ends.count)
    while line < end {
      let wanted = start(line) + 256 << 10
      let next = min(end, max(line + 1, (line..<end).lowerBound { ends[$0] < wanted }))
      chunks.append(Chunk(lines: line..<next))
      line = next
    }
    return chunks
  }

  public func read(_ chunk: Chunk) -> LineBlock {
    let range = start(chunk.lines.lowerBound)..<start(chunk.lines.upperBound)
    let isFirst = range.lowerBound == 0
    let buffer = LineBuffer(capacity: range.count)
    let previous = bytes.withUnsafeBufferPointer { bytes -> UInt64? in
      guard let base = bytes.baseAddress else { return nil }
      buffer.reserve(range.count).copyMemory(
        from: base + range.lowerBound, byteCount: range.count)
      buffer.grow(range.count)
      return recordedSum(bytes, before: range.lowerBound)
    }
    return LineBlock(
      buffer, 0..<range.count, after: isFirst ? 0 : previous, file: name, firstInFile: 1,
      offset: range.lowerBound, beginsFile: isFirst, beginsHistory: isFirst,
      byteCount: range.count)
  }

  public func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(LogError) in
      guard let base = bytes.baseAddress else { return }
      for position in positions where position > 0 && position <= count {
        let (start, end) = (start(Int(position) - 1), ends[Int(position) - 1])
        try body(
          RawLine(
            position: position,
            bytes: UnsafeBufferPointer(start: base + start, count: end - 1 - start),
            previousSum: position == 1 ? 0 : recordedSum(bytes, before: start), file: name,
            offset: start, owner: nil))
      }
    }
  }
}
