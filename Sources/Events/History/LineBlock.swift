/// Consecutive lines of a history, in memory.
public struct LineBlock: Sendable {
  let buffer: LineBuffer
  /// The range of bytes in the buffer that contains the block's lines with their line feeds.
  let range: Range<Int>
  /// The checksum of the line before the block. It is 0 at the start of the history, and nil if the
  /// line before the block has no checksum.
  let previousSum: UInt64?
  /// The name of the file that contains the lines, for error messages.
  let file: String
  /// The position in the log of the file's first line.
  let firstInFile: UInt64
  /// The offset of the block's first line in the file, in bytes.
  let offset: Int
  /// Whether the block's first line is the first line of the file.
  let beginsFile: Bool
  /// Whether the block's first line is the first line of the history.
  let beginsHistory: Bool
  /// The number of bytes to count as read after this block, when showing progress.
  package let byteCount: Int

  /// Creates a block from separate lines, for a store that keeps each line separately.
  /// - Parameters:
  ///   - lines: The sealed lines in order, without line feeds.
  ///   - previous: The line before the first of `lines`; nil at the start of the history.
  ///   - name: The history's name in error messages.
  ///   - offset: The number of the history's bytes before the first line, for error messages.
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
    (self.buffer, self.range) = (buffer, range)
    previousSum = sum
    (self.file, self.firstInFile, self.offset) = (file, firstInFile, offset)
    (self.beginsFile, self.beginsHistory, self.byteCount) = (beginsFile, beginsHistory, byteCount)
  }

  /// Calls `body` with the bytes of the block's lines, including line feeds.
  public func withBytes<T, E: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> T
  ) throws(E) -> T {
    try body(UnsafeBufferPointer(start: buffer.bytes + range.lowerBound, count: range.count))
  }

  /// Returns the line of this block, which must contain one line or none; nil if it is empty.
  /// `position` is the position that the line should have.
  func rawLine(at position: UInt64) -> RawLine? {
    guard range.count > 1 else { return nil }
    return RawLine(
      position: position,
      bytes: UnsafeBufferPointer(start: buffer.bytes + range.lowerBound, count: range.count - 1),
      previousSum: previousSum, file: file, offset: offset, owner: buffer)
  }
}

/// One unchecked line of a history. It is valid only inside the closure that receives it.
public struct RawLine {
  /// The position in the log that the line should have.
  public var position: UInt64
  /// The line's bytes, without the line feed.
  public var bytes: UnsafeBufferPointer<UInt8>
  /// The previous line's checksum: 0 for the first line, nil if the previous line has none.
  public var previousSum: UInt64?
  /// The name of the file that contains the line, for error messages.
  public var file: String
  /// The line's offset in the file, in bytes.
  public var offset: Int
  /// The buffer that keeps the line's bytes in memory; nil if the caller of `init` keeps them.
  private let owner: LineBuffer?

  package init(
    position: UInt64, bytes: UnsafeBufferPointer<UInt8>, previousSum: UInt64?, file: String,
    offset: Int, owner: LineBuffer?
  ) {
    (self.position, self.bytes, self.previousSum, self.file) = (position, bytes, previousSum, file)
    (self.offset, self.owner) = (offset, owner)
  }

  /// Creates a line from memory, which must stay valid while the line is used.
  ///
  /// `previous` is the previous line; nil for the first line. Error messages show `name`, the
  /// file's name, and `offset`, the line's offset in the file.
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

  /// Returns the error for a fault in the line.
  func damage(_ fault: LineFault) -> LogError {
    .damaged(Damage(file: file, line: 0, offset: offset, seq: position, fault: fault))
  }
}

/// A buffer for the bytes of lines. It has padding, so that fast code may read a few bytes after
/// the end.
///
/// The class is `@unchecked Sendable`, because one thread fills the buffer and afterwards threads
/// only read it.
package final class LineBuffer: @unchecked Sendable {
  /// The number of readable bytes after the end of the content.
  package static let padding = 64

  package private(set) var bytes: UnsafeMutablePointer<UInt8>
  package private(set) var count = 0
  private var capacity: Int
  /// A closure that receives the memory for reuse when the buffer is released. If it is nil, the
  /// memory is freed.
  private let reuse: (@Sendable (UnsafeMutablePointer<UInt8>, Int) -> Void)?

  init(capacity: Int) {
    self.capacity = capacity + Self.padding
    bytes = .allocate(capacity: self.capacity)
    reuse = nil
  }

  /// Creates a buffer that uses memory allocated elsewhere, of `capacity` bytes including the
  /// padding.
  package init(
    in memory: UnsafeMutablePointer<UInt8>, capacity: Int,
    reuse: @escaping @Sendable (UnsafeMutablePointer<UInt8>, Int) -> Void
  ) {
    bytes = memory
    (self.capacity, self.reuse) = (capacity, reuse)
  }

  deinit {
    if let reuse { reuse(bytes, capacity) } else { bytes.deallocate() }
  }

  /// Returns the address of room for `more` bytes after the content; call `grow` after filling it.
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

  /// Extends the content by `more` bytes, which were written into the room from `reserve`.
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
