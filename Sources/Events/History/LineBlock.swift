/// Consecutive lines of a history, in memory.
public struct LineBlock: Sendable {
  let buffer: LineBuffer
  /// The lines in the buffer, with their line feeds.
  let range: Range<Int>
  /// The sum that the line before the first records: 0 at the beginning of the history, nil if it
  /// records none.
  let previousSum: UInt64?
  /// For messages: the name of the file, the position of its first line, and the block's offset in
  /// it.
  let file: String
  let firstInFile: UInt64
  let offset: Int
  /// Whether the first line is the first of its file, and of the history.
  let beginsFile: Bool
  let beginsHistory: Bool
  /// How many bytes of the history this block stands for, for progress.
  package let byteCount: Int

  /// Lines of a store that keeps each line separately.
  /// - Parameters:
  ///   - lines: as they were sealed, without line feeds.
  ///   - previous: the line that the first one follows; nil at the beginning of the history.
  ///   - name: what messages call the history.
  ///   - offset: bytes of the history before the first line, for messages.
  public init(
    _ lines: some Collection<[UInt8]>, after previous: [UInt8]?, of name: String, offset: Int = 0
  ) {
    let count = lines.reduce(0) { $0 + $1.count + 1 }
    let sum = previous.map { line in
      line.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.flatMap { recordedSum($0, bytes.count) }
      }
    }
    self.init(
      LineBuffer(capacity: count), 0..<count, after: sum ?? 0, file: name, firstInFile: 1,
      offset: offset, beginsFile: previous == nil, beginsHistory: previous == nil,
      byteCount: count)
    for line in lines {
      buffer.append(line)
      buffer.append(0x0a)
    }
  }

  package init(
    _ buffer: LineBuffer, _ range: Range<Int>, after sum: UInt64?, file: String,
    firstInFile: UInt64, offset: Int, beginsFile: Bool, beginsHistory: Bool, byteCount: Int
  ) {
    self.buffer = buffer
    self.range = range
    previousSum = sum
    self.file = file
    self.firstInFile = firstInFile
    self.offset = offset
    self.beginsFile = beginsFile
    self.beginsHistory = beginsHistory
    self.byteCount = byteCount
  }

  /// Calls `body` with the bytes of the lines, each with its line feed.
  public func withBytes<T, E: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T
  ) throws(E) -> T {
    try body(UnsafeBufferPointer(start: buffer.bytes + range.lowerBound, count: range.count))
  }

  /// The block's only line, for the position asked for; nil if the block is empty.
  func rawLine(at position: UInt64) -> RawLine? {
    guard range.count > 1 else { return nil }
    return RawLine(
      position: position,
      bytes: UnsafeBufferPointer(start: buffer.bytes + range.lowerBound, count: range.count - 1),
      previousSum: previousSum, file: file, offset: offset, owner: buffer)
  }
}

/// One line of a history, unchecked; valid for the length of a call.
public struct RawLine {
  /// The position it should have.
  public var position: UInt64
  /// Without the line feed.
  public var bytes: UnsafeBufferPointer<UInt8>
  /// The sum that the line before it records: 0 for the first line, nil if it records none.
  public var previousSum: UInt64?
  /// For messages: the name of the file, and the line's offset in it.
  public var file: String
  public var offset: Int
  /// Keeps the bytes.
  private let owner: LineBuffer?

  package init(
    position: UInt64, bytes: UnsafeBufferPointer<UInt8>, previousSum: UInt64?, file: String,
    offset: Int, owner: LineBuffer?
  ) {
    self.position = position
    self.bytes = bytes
    self.previousSum = previousSum
    self.file = file
    self.offset = offset
    self.owner = owner
  }

  /// - Parameters:
  ///   - bytes: must stay where they are while the line is looked at.
  ///   - previous: the line before; nil for the first.
  public init(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: UInt64, after previous: [UInt8]?,
    of name: String, offset: Int = 0
  ) {
    let sum = previous.map { line in
      line.withUnsafeBufferPointer { recordedSum($0) }
    }
    self.init(
      position: position, bytes: bytes, previousSum: sum ?? 0, file: name, offset: offset,
      owner: nil)
  }

  /// The error for what is wrong with it.
  func damage(_ fault: LineFault) -> LogError {
    .damaged(Damage(file: file, line: 0, offset: offset, seq: position, fault: fault))
  }
}

/// Bytes of lines, with room to read a few past their end.
///
/// `@unchecked Sendable`: filled by one thread, then only read.
package final class LineBuffer: @unchecked Sendable {
  /// How many bytes past the end may be read.
  package static let padding = 64

  package private(set) var bytes: UnsafeMutablePointer<UInt8>
  package private(set) var count = 0
  private var capacity: Int
  /// Called with the memory when the buffer is released; nil to free it.
  private let reuse: (@Sendable (UnsafeMutablePointer<UInt8>, Int) -> Void)?

  init(capacity: Int) {
    self.capacity = capacity + Self.padding
    bytes = .allocate(capacity: self.capacity)
    reuse = nil
  }

  /// A buffer in borrowed memory of `capacity` bytes, padding included.
  package init(
    in memory: UnsafeMutablePointer<UInt8>, capacity: Int,
    reuse: @escaping @Sendable (UnsafeMutablePointer<UInt8>, Int) -> Void
  ) {
    bytes = memory
    self.capacity = capacity
    self.reuse = reuse
  }

  deinit {
    if let reuse { reuse(bytes, capacity) } else { bytes.deallocate() }
  }

  /// Room for more bytes at the end, to be filled before `grow` counts them.
  package func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if count + more + Self.padding > capacity {
      capacity = max(capacity * 2, count + more + Self.padding)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
      larger.update(from: bytes, count: count)
      bytes.deallocate()
      bytes = larger
    }
    return UnsafeMutableRawPointer(bytes + count)
  }

  /// Counts bytes that were written into the room from `reserve`.
  package func grow(_ more: Int) { count += more }

  package func append(_ byte: UInt8) {
    reserve(1).storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  func append(_ line: [UInt8]) {
    let target = reserve(line.count)
    line.withUnsafeBytes { source in
      if let base = source.baseAddress { target.copyMemory(from: base, byteCount: source.count) }
    }
    count += line.count
  }

  package func firstLineFeed(from: Int, to: Int) -> Int? {
    let end = min(to, count)
    guard from < end else { return nil }
    return Events.firstLineFeed(bytes + from, end - from).map { $0 - UnsafeRawPointer(bytes) }
  }
}
