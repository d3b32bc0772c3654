import Events
import Synchronization

/// Reading a log in chunks of about equal size. Any thread can read and scan a chunk.
extension LogView: CheckpointedHistory {
  /// The lines that start within a range of a segment's bytes.
  public struct Chunk: Sendable {
    var segment: Int
    var range: Range<Int>
    let pool: BufferPool
  }

  /// The size of a chunk in bytes. A chunk and the scan results of its lines fit a core's
  /// second-level cache.
  static let chunkSize = 256 << 10

  public var name: String { path }

  public func chunks(after position: UInt64, until: UInt64) throws(LogError) -> [Chunk] {
    try chunks(after: position, until: until, chunkSize: Self.chunkSize)
  }

  func chunks(
    after position: UInt64 = 0, until: UInt64 = .max, chunkSize: Int
  ) throws(LogError) -> [Chunk] {
    let end = LineAddress(segment: segments.count, offset: 0)
    let start = LineAddress(segment: 0, offset: 0)
    let from = position == 0 ? start : try address(of: position &+ 1) ?? end
    let to = until == .max ? end : try address(of: until + 1) ?? end
    let pool = BufferPool()
    var chunks: [Chunk] = []
    for segment in segments.indices where segment >= from.segment && segment <= to.segment {
      var at = segment == from.segment ? from.offset : 0
      let size = segment == to.segment ? to.offset : segments[segment].size
      while at < size {
        let end = min(at + chunkSize, size)
        chunks.append(Chunk(segment: segment, range: at..<end, pool: pool))
        at = end
      }
    }
    return chunks
  }

  public func read(_ chunk: Chunk) throws(LogError) -> LineBlock {
    let segment = segments[chunk.segment]
    let lead = min(chunk.range.lowerBound, sumLength + 1)
    let start = chunk.range.lowerBound - lead
    let buffer = chunk.pool.buffer(capacity: chunk.range.count + lead + 16 << 10)
    func block(_ lines: Range<Int>, after sum: UInt64?) -> LineBlock {
      let offset = start + lines.lowerBound
      return LineBlock(
        buffer, lines, after: sum, file: segment.path, firstInFile: segment.first, offset: offset,
        beginsFile: offset == 0,
        beginsHistory: chunk.segment == 0 && offset == 0 && segment.first == 1,
        byteCount: chunk.range.count)
    }
    try extend(buffer, chunk, to: min(chunk.range.upperBound + 8 << 10, segment.size), from: start)
    // The first line that starts in the range follows a line feed at the byte before the range or
    // later.
    var first = 0
    var previous: UInt64?
    if chunk.range.lowerBound == 0 {
      previous = try sum(chunk.segment, before: 0)
    } else {
      guard let feed = buffer.firstLineFeed(from: lead - 1, to: chunk.range.count + lead - 1) else {
        return block(lead..<lead, after: nil)
      }
      first = feed + 1
      previous = recordedSum(
        UnsafeBufferPointer(start: buffer.bytes, count: buffer.count), before: first)
    }
    let end = try lastLineEnd(buffer, chunk, start)
    return block(first..<max(first, end), after: previous)
  }

  /// Returns the index in the buffer after the last line that starts in the chunk. Reads more bytes
  /// if needed.
  private func lastLineEnd(
    _ buffer: LineBuffer, _ chunk: Chunk, _ start: Int
  ) throws(LogError) -> Int {
    let segment = segments[chunk.segment]
    var from = chunk.range.upperBound - 1 - start
    while true {
      if let feed = buffer.firstLineFeed(from: from, to: buffer.count) { return feed + 1 }
      from = buffer.count
      let at = start + buffer.count
      if at >= segment.size {
        if segment.lacksLineFeed { buffer.append(0x0a) }
        return buffer.count
      }
      if buffer.count > LineParser.longestLine + chunk.range.count + 1 << 16 {
        buffer.append(0x0a)  // longer than any valid line: the scanner reports it
        return buffer.count
      }
      try extend(buffer, chunk, to: min(at + buffer.count, segment.size), from: at)
    }
  }

  private func extend(
    _ buffer: LineBuffer, _ chunk: Chunk, to end: Int, from start: Int
  ) throws(LogError) {
    let target = buffer.reserve(end - start)
    try read(chunk.segment, at: start, count: end - start, into: target)
    buffer.grow(end - start)
  }
}

/// Reusable memory for chunks. With fresh memory, page faults would take a fifth of a scan's time.
final class BufferPool: Sendable {
  /// `@unchecked Sendable`: nobody uses the memory while it is in the pool.
  private struct Block: @unchecked Sendable {
    var bytes: UnsafeMutablePointer<UInt8>
    var capacity: Int
  }
  private let free = Mutex<[Block]>([])

  /// Returns a buffer whose memory goes back to the pool when the buffer is released.
  func buffer(capacity: Int) -> LineBuffer {
    let block = take(capacity + LineBuffer.padding)
    return LineBuffer(in: block.bytes, capacity: block.capacity) { bytes, capacity in
      self.give(Block(bytes: bytes, capacity: capacity))
    }
  }

  private func take(_ capacity: Int) -> Block {
    let found = free.withLock { free -> Block? in
      guard let last = free.last, last.capacity >= capacity else { return nil }
      return free.removeLast()
    }
    return found ?? Block(bytes: .allocate(capacity: capacity), capacity: capacity)
  }

  private func give(_ block: Block) { free.withLock { $0.append(block) } }

  deinit {
    for block in free.withLock({ $0 }) { block.bytes.deallocate() }
  }
}
