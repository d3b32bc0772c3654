/// A log whose bytes are in memory: its sealed lines, one after the other, as the segments have
/// them.
///
/// ```swift
/// var replay = Replay(FollowerRanking())
/// try replay.apply(LogBytes(bytes))
/// ```
/// - Complexity: making one takes one look for the ends of lines; memory is the bytes.
public struct LogBytes: History {
  private let bytes: [UInt8]
  /// Where the chunks begin, with the number of lines before each; at last where the lines end.
  private let starts: [(offset: Int, lines: UInt64)]
  public let name: String

  /// - Parameters:
  ///   - bytes: from the first line on. A line that its line feed is missing from is not seen.
  ///   - name: what messages call the log.
  public init(_ bytes: [UInt8], name: String = "log") {
    self.bytes = bytes
    self.name = name
    starts = bytes.withUnsafeBufferPointer { Self.starts($0, each: 256 << 10) }
  }

  private static func starts(
    _ bytes: UnsafeBufferPointer<UInt8>, each size: Int
  ) -> [(offset: Int, lines: UInt64)] {
    var starts: [(offset: Int, lines: UInt64)] = [(0, 0)]
    var (at, lines) = (0, UInt64(0))
    guard let base = bytes.baseAddress else { return starts }
    while let feed = firstLineFeed(base + at, bytes.count - at) {
      at = feed - UnsafeRawPointer(base) + 1
      lines += 1
      if at - starts[starts.count - 1].offset >= size { starts.append((at, lines)) }
    }
    if at > starts[starts.count - 1].offset { starts.append((at, lines)) }
    return starts
  }

  public var size: Int { starts[starts.count - 1].offset }

  public func head() throws(LogError) -> LogHead {
    let last = starts[starts.count - 1].lines
    guard let line = try line(at: last) else { return LogHead() }
    return LogHead(line.event)
  }

  /// Some lines: where they begin and end, and how many are before them.
  public struct Chunk: Sendable {
    var bytes: Range<Int>
    var linesBefore: UInt64
  }

  public func chunks(after position: UInt64, until: UInt64) -> [Chunk] {
    var chunks: [Chunk] = []
    for (start, end) in zip(starts, starts.dropFirst())
    where end.lines > position && start.lines < until {
      var chunk = Chunk(bytes: start.offset..<end.offset, linesBefore: start.lines)
      if end.lines > until { chunk = cut(chunk, to: until - start.lines) }
      if start.lines < position { chunk = dropped(chunk, position - start.lines) }
      chunks.append(chunk)
    }
    return chunks
  }

  /// Where in the bytes the line after some of a chunk begins.
  private func offset(_ chunk: Chunk, after lines: UInt64) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var at = chunk.bytes.lowerBound
      for _ in 0..<lines {
        guard let base = bytes.baseAddress,
          let feed = firstLineFeed(base + at, chunk.bytes.upperBound - at)
        else { break }
        at = feed - UnsafeRawPointer(base) + 1
      }
      return at
    }
  }

  private func cut(_ chunk: Chunk, to lines: UInt64) -> Chunk {
    Chunk(
      bytes: chunk.bytes.lowerBound..<offset(chunk, after: lines), linesBefore: chunk.linesBefore)
  }

  private func dropped(_ chunk: Chunk, _ lines: UInt64) -> Chunk {
    Chunk(
      bytes: offset(chunk, after: lines)..<chunk.bytes.upperBound,
      linesBefore: chunk.linesBefore + lines)
  }

  public func read(_ chunk: Chunk) -> LineBlock {
    let isFirst = chunk.bytes.lowerBound == 0
    let buffer = LineBuffer(capacity: chunk.bytes.count)
    let previous = bytes.withUnsafeBufferPointer { bytes -> UInt64? in
      guard let base = bytes.baseAddress else { return nil }
      buffer.reserve(chunk.bytes.count).copyMemory(
        from: base + chunk.bytes.lowerBound, byteCount: chunk.bytes.count)
      buffer.grow(chunk.bytes.count)
      let end = chunk.bytes.lowerBound - 1
      return end >= sumLength ? recordedSum(base + (end - sumLength), sumLength) : nil
    }
    return LineBlock(
      buffer, 0..<chunk.bytes.count, after: isFirst ? 0 : previous, file: name, firstInFile: 1,
      offset: chunk.bytes.lowerBound, beginsFile: isFirst, beginsHistory: isFirst,
      byteCount: chunk.bytes.count)
  }
}
