import Synchronization

/// A view cut into chunks that can be scanned independently, on any thread, and then decoded in
/// order.
///
/// ```swift
/// let chunks = try LogChunks(view)
/// var consumer = ChunkConsumer(after: LogHead())
/// for index in chunks.indices {
///   let scanned = try chunks.scan(index, wanted: .all)
///   try consumer.consume(scanned, &names) { batch in print(batch.events.count) }
/// }
/// ```
public struct LogChunks: Sendable {
  struct Chunk: Sendable {
    var segment: Int
    /// The lines that start within these bytes belong to the chunk.
    var range: Range<Int>
  }

  /// 256 KiB: with its lines' records it fits a core's second-level cache.
  static let chunkSize = 256 << 10

  public let view: LogView
  let chunks: [Chunk]

  public var indices: Range<Int> { chunks.indices }
  /// Bytes in the chunk, for progress.
  public func size(_ index: Int) -> Int { chunks[index].range.count }

  private let pool = BufferPool()

  /// The events after a position, up to and with another.
  /// - Throws: what finding the places can throw.
  public init(
    _ view: LogView, after seq: UInt64 = 0, until: UInt64 = .max
  ) throws(LogError) {
    try self.init(view, after: seq, until: until, chunkSize: Self.chunkSize)
  }

  init(
    _ view: LogView, after seq: UInt64 = 0, until: UInt64 = .max, chunkSize: Int
  ) throws(LogError) {
    self.view = view
    let end = LogView.Place(segment: view.segments.count, offset: 0)
    let start = LogView.Place(segment: 0, offset: 0)
    let from = seq == 0 ? start : try view.place(of: seq &+ 1) ?? end
    let to = until == .max ? end : try view.place(of: until + 1) ?? end
    var chunks: [Chunk] = []
    for segment in view.segments.indices where segment >= from.segment && segment <= to.segment {
      var at = segment == from.segment ? from.offset : 0
      let size = segment == to.segment ? to.offset : view.segments[segment].size
      while at < size {
        let end = min(at + chunkSize, size)
        chunks.append(Chunk(segment: segment, range: at..<end))
        at = end
      }
    }
    self.chunks = chunks
  }

  /// Reads and checks one chunk.
  /// - Parameter wanted: the types whose lines are to be decoded.
  /// - Complexity: O(bytes of the chunk).
  public func scan(_ index: Int, wanted: EventTypes) throws(LogError) -> ScannedChunk {
    let chunk = chunks[index]
    let segment = view.segments[chunk.segment]
    let lead = min(chunk.range.lowerBound, sumLength + 1)
    let start = chunk.range.lowerBound - lead
    let buffer = ChunkBuffer(capacity: chunk.range.count + lead + 16 << 10, pool)
    try extend(buffer, chunk, to: min(chunk.range.upperBound + 8 << 10, segment.size), from: start)
    // The first line that starts in the range begins after a line feed at or after range − 1.
    var first = 0
    var previous: UInt64?
    if chunk.range.lowerBound == 0 {
      previous = try view.sum(chunk.segment, before: 0)
    } else {
      guard let feed = buffer.firstLineFeed(from: lead - 1, to: chunk.range.count + lead - 1) else {
        return ScannedChunk(buffer: buffer, segment: segment, offset: start, after: nil)
      }
      first = feed + 1
      previous = feed >= sumLength ? recordedSum(buffer.bytes + (feed - sumLength), sumLength) : nil
    }
    let end = try lastLineEnd(buffer, chunk, start)
    guard first < end else {
      return ScannedChunk(buffer: buffer, segment: segment, offset: start, after: nil)
    }
    let isStart = chunk.segment == 0 && chunk.range.lowerBound == 0
    var scanner = LineScanner(after: LogHead(sum: previous ?? 0), wanted: wanted)
    if previous == nil { scanner.fail(LineFault(.wrongSum)) }
    scanner.scan(
      UnsafeBufferPointer(start: buffer.bytes + first, count: end - first), knowsPosition: isStart)
    return ScannedChunk(
      buffer: buffer, segment: segment, offset: start + first, first: first, after: scanner)
  }

  /// The end, in the buffer, of the last line that starts in the chunk; reads on as far as needed.
  private func lastLineEnd(
    _ buffer: ChunkBuffer, _ chunk: Chunk, _ start: Int
  ) throws(LogError) -> Int {
    let segment = view.segments[chunk.segment]
    var from = chunk.range.upperBound - 1 - start
    while true {
      if let feed = buffer.firstLineFeed(from: from, to: buffer.count) { return feed + 1 }
      from = buffer.count
      let at = start + buffer.count
      if at >= segment.size {
        // A last line that lacks its line feed gets it here, in memory.
        if segment.lacksLineFeed { buffer.append(0x0a) }
        return buffer.count
      }
      if buffer.count > LineParser.longestLine + chunk.range.count + 1 << 16 {
        buffer.append(0x0a)  // longer than any line may be: the scanner will say so
        return buffer.count
      }
      try extend(buffer, chunk, to: min(at + buffer.count, segment.size), from: at)
    }
  }

  private func extend(
    _ buffer: ChunkBuffer, _ chunk: Chunk, to end: Int, from start: Int
  ) throws(LogError) {
    let target = buffer.reserve(end - start)
    try view.read(chunk.segment, at: start, count: end - start, into: target)
    buffer.count += end - start
  }
}

/// Memory for chunks, used again and again: a fresh allocation of this size would cost a page
/// fault for every 4 KiB, a fifth of the whole scan.
///
private final class BufferPool: Sendable {
  /// `@unchecked Sendable`: in the pool the memory is nobody's.
  struct Block: @unchecked Sendable {
    var bytes: UnsafeMutablePointer<UInt8>
    var capacity: Int
  }
  private let free = Mutex<[Block]>([])

  func take(_ capacity: Int) -> Block {
    let found = free.withLock { free -> Block? in
      guard let last = free.last, last.capacity >= capacity else { return nil }
      return free.removeLast()
    }
    return found ?? Block(bytes: .allocate(capacity: capacity), capacity: capacity)
  }

  func give(_ block: Block) { free.withLock { $0.append(block) } }

  deinit {
    for block in free.withLock({ $0 }) { block.bytes.deallocate() }
  }
}

/// The bytes of one chunk, with room to read a few past their end.
///
/// `@unchecked Sendable`: filled by one thread, then only read.
final class ChunkBuffer: @unchecked Sendable {
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private let pool: BufferPool
  var count = 0

  fileprivate init(capacity: Int, _ pool: BufferPool) {
    self.pool = pool
    let block = pool.take(capacity + 64)
    bytes = block.bytes
    self.capacity = block.capacity
  }

  deinit { pool.give(BufferPool.Block(bytes: bytes, capacity: capacity)) }

  /// Room for more bytes after those there are.
  func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if count + more + 64 > capacity {
      capacity = max(capacity * 2, count + more + 64)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
      larger.update(from: bytes, count: count)
      bytes.deallocate()
      bytes = larger
    }
    return UnsafeMutableRawPointer(bytes + count)
  }

  func append(_ byte: UInt8) {
    reserve(1).storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  func firstLineFeed(from: Int, to: Int) -> Int? {
    let end = min(to, count)
    guard from < end else { return nil }
    return UnsafeBufferPointer(start: bytes + from, count: end - from)
      .firstIndex(of: 0x0a).map { $0 + from }
  }
}

/// One chunk after its scan: its wanted lines, ready to be decoded.
public struct ScannedChunk: Sendable {
  let buffer: ChunkBuffer
  let segment: LogView.Segment
  /// The offset of the first line in the segment, and in the buffer.
  let offset: Int
  var first = 0
  /// Nil for a chunk in which no line starts.
  let after: LineScanner?
}
