import Dispatch
import Events
import Synchronization

/// A writer of new segments beside the old ones, with the suffix `.new`. It syncs each segment
/// before it begins the next one.
///
/// A separate thread writes whole blocks and bypasses the system's cache. On a virtual machine, new
/// pages of the cache took 0.3 to 3 s for each gigabyte. Without the cache, only the disk's 0.5 s
/// remain. Meanwhile the caller seals the next lines.
struct ReplacementSegmentWriter: ~Copyable {
  private static let pieceSize = 4 << 20

  private let view: LogView
  private let writer: Writer
  private var isOpen = false
  /// The next bytes of the segment, which are not written yet.
  var out = ByteBuffer(capacity: pieceSize + 1 << 20)

  init(_ view: LogView, _ files: FileSystem) {
    self.view = view
    writer = Writer(files)
  }

  deinit { writer.close() }

  /// Ends the previous new segment, if there is one, and begins the new version of an old segment.
  mutating func begin(_ segment: Int, _ pending: inout PendingRewriting) throws(LogError) {
    try endSegment()
    let name = fileName(view.segments[segment].path)
    pending.names.append(name)
    let path = pending.newPath(name)
    isOpen = true
    try writer.perform { (segment) throws(FileError) in segment.begin(path) }
  }

  mutating func flushIfFull() throws(LogError) { if out.count >= Self.pieceSize { try flush() } }

  private mutating func flush() throws(LogError) {
    guard isOpen, out.count > 0 else { return }
    let piece = Piece(&out, Self.pieceSize + 1 << 20)
    try writer.perform { (segment) throws(FileError) in
      try piece.buffer.withBytes { (bytes) throws(FileError) in try segment.append(bytes) }
    }
  }

  private mutating func endSegment() throws(LogError) {
    try flush()
    if !isOpen { return }
    isOpen = false
    try writer.perform { (segment) throws(FileError) in try segment.end() }
  }

  /// Ends the last new segment, and waits until all bytes are on the disk.
  mutating func end() throws(LogError) {
    try endSegment()
    try writer.finish()
  }

  /// Begins the new version of the segment that contains a position, and copies the lines before
  /// that position.
  /// - Returns: the segment's index, and the checksum of the last copied line.
  mutating func begin(
    at position: UInt64, _ pending: inout PendingRewriting
  ) throws(LogError) -> (segment: Int, sum: UInt64) {
    let place = try view.address(of: position)
    let segment = place?.segment ?? view.segments.count - 1
    let end = place?.offset ?? view.segments[segment].size
    try begin(segment, &pending)
    for start in stride(from: 0, to: end, by: Self.pieceSize) {
      out.append(try view.bytes(segment, start..<min(end, start + Self.pieceSize)))
      try flush()
    }
    return (segment, try view.sum(segment, before: end) ?? 0)
  }

  /// Bytes that the caller hands to the writing thread.
  private final class Piece: Sendable {
    let buffer: ByteBuffer

    init(_ bytes: inout ByteBuffer, _ capacity: Int) {
      var next = ByteBuffer(capacity: capacity)
      swap(&next, &bytes)
      buffer = next
    }
  }

  private struct Segment {
    private static let block = 4 << 10
    private static let capacity = 4 << 20

    private let files: FileSystem
    private var path = ""
    private var file: Int32?
    /// The next bytes to write. The first byte belongs at the start of a 4 KiB block of the file.
    private let waiting: UnsafeMutableRawPointer
    private var count = 0
    private var size = 0
    private var isUncached = true

    init(_ files: FileSystem) {
      self.files = files
      waiting = .allocate(byteCount: Self.capacity, alignment: Self.block)
    }

    mutating func begin(_ path: String) {
      (self.path, count, size, isUncached) = (path, 0, 0, true)
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
      guard let base = bytes.baseAddress else { return }
      var done = 0
      while done < bytes.count {
        let piece = min(bytes.count - done, Self.capacity - count)
        (waiting + count).copyMemory(from: base + done, byteCount: piece)
        (done, count) = (done + piece, count + piece)
        if count == Self.capacity { try write() }
      }
    }

    private mutating func write() throws(FileError) {
      let bytes = UnsafeRawBufferPointer(start: waiting, count: count)
      if isUncached {
        do throws(FileError) {
          if file == nil { file = try files.open(path, .createUncached) }
          if let file { try files.writeAll(bytes, to: file, path) }
          (count, size) = (0, size + count)
          return
        } catch {
          // The file system needs another block size, so the file is written through the cache.
          guard error.isInvalid, file != nil else { throw error }
          try reopen()
        }
      }
      if let file { try files.writeAll(bytes, to: file, path) }
      (count, size) = (0, size + count)
    }

    /// Reopens the file to write through the system's cache.
    private mutating func reopen() throws(FileError) {
      isUncached = false
      guard let open = file else {
        file = try files.open(path, .createNew)
        return
      }
      file = nil
      try files.close(open, path)
      let again = try files.open(path, .append)
      file = again
      // The file may contain a part of the failed piece.
      if try files.status(path).size != size { try files.truncate(again, size, path) }
    }

    /// Writes the remaining bytes, less than a block, and syncs the file.
    mutating func end() throws(FileError) {
      if count > 0 || file == nil {
        if isUncached { try reopen() }
        try write()
      }
      guard let open = file else { return }
      try files.sync(open, path)
      file = nil
      try files.close(open, path)
    }

    mutating func release() {
      if let file { try? files.close(file, path) }
      file = nil
      waiting.deallocate()
    }
  }

  /// A queue that performs writes in order on a separate thread. At most two writes wait.
  ///
  /// `@unchecked Sendable`: only the queue uses the segment.
  private final class Writer: @unchecked Sendable {
    private let queue = DispatchQueue(label: "eventlog.rewriting")
    private let room = DispatchSemaphore(value: 2)
    private let failure = Mutex<FileError?>(nil)
    private var segment: Segment

    init(_ files: FileSystem) { segment = Segment(files) }

    /// Performs `body` later on the queue.
    /// - Throws: the first error of an earlier write. Later writes are skipped.
    func perform(
      _ body: @escaping @Sendable (inout Segment) throws(FileError) -> Void
    ) throws(LogError) {
      try check()
      room.wait()
      queue.async { [self] in
        defer { room.signal() }
        if failure.withLock({ $0 }) != nil { return }
        do throws(FileError) {
          try body(&segment)
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }

    func finish() throws(LogError) {
      queue.sync {}
      try check()
    }

    func close() { queue.sync { segment.release() } }

    private func check() throws(LogError) {
      if let failure = failure.withLock({ $0 }) { throw .file(failure) }
    }
  }
}
