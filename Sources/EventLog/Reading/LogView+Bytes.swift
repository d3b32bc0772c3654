import Events
import Synchronization

/// Reading bytes of segments. The files must still be those that the view opened.
extension LogView {
  /// Reads exactly `count` bytes of a segment into `target`.
  /// - Throws: `.rewritten` if the log was rewritten; `.notALog` if the file was truncated or
  ///   replaced otherwise.
  func read(
    _ index: Int, at offset: Int, count: Int, into target: UnsafeMutableRawPointer
  ) throws(LogError) {
    let segment = segments[index]
    switch source {
    case .memory(let sealed):
      target.copyMemory(from: sealed.base + offset, byteCount: count)
    case .files(let files, let open):
      let isWhole = try io { () throws(FileError) in
        let file = try open.file(segment.path)
        let got = try files.readAll(file, into: target, count, at: offset, segment.path)
        if got < count { return false }
        let status = try PendingRewriting.wherever(segment.path) { (path) throws(FileError) in
          try files.status(path)
        }
        return status.identity == segment.identity
      }
      if !isWhole {
        throw replaced(
          segment.path, "the file was truncated or replaced while it was being read")
      }
    }
  }

  func bytes(_ segment: Int, _ range: Range<Int>) throws(LogError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: range.count)
    try result.withUnsafeMutableBufferPointer { (target) throws(LogError) in
      guard let base = target.baseAddress else { return }
      try read(segment, at: range.lowerBound, count: range.count, into: base)
    }
    return result
  }

  /// Returns the offset at which the line starts that contains the byte before `offset`.
  func lineStart(_ segment: Int, before offset: Int) throws(LogError) -> Int {
    var end = offset
    var step = 512
    while end > 0 {
      let start = max(0, end - step)
      let piece = try bytes(segment, start..<end)
      if let found = lastLineFeed(piece) { return start + found + 1 }
      end = start
      step = min(step * 4, 1 << 20)
    }
    return 0
  }

  /// Returns the offset of the line feed at or after `offset`, or the segment's size.
  func lineEnd(_ segment: Int, from offset: Int) throws(LogError) -> Int {
    let size = segments[segment].size
    var start = offset
    var step = 512
    while start < size {
      let end = min(size, start + step)
      let piece = try bytes(segment, start..<end)
      if let found = firstLineFeed(piece) { return start + found }
      start = end
      step = min(step * 4, 1 << 20)
    }
    return size
  }

  /// Returns the checksum that the line before `offset` states: 0 at the log's start, nil if that
  /// line states none.
  func sum(_ segment: Int, before offset: Int) throws(LogError) -> UInt64? {
    if offset == 0 {
      guard segment > 0 else { return segments[segment].first == 1 ? 0 : before?.sum }
      return try sum(segment - 1, before: segments[segment - 1].size)
    }
    guard offset > sumLength else { return nil }
    let piece = try bytes(segment, offset - sumLength - 1..<offset)
    return piece.withUnsafeBufferPointer { recordedSum($0, before: $0.count) }
  }

  /// Finds a torn line or an unfinished commit at the log's end, and excludes its bytes from the
  /// last segment.
  mutating func findTail() throws(LogError) {
    let last = segments.count - 1
    let fileSize = segments[last].size
    let whole = try lineStart(last, before: fileSize)
    var end = whole
    tail = fileSize > whole ? .torn(bytes: fileSize - whole) : .none
    if fileSize > whole, fileSize - whole <= LineParser.longestLine,
      try isSealedLine(last, whole..<fileSize)
    {
      end = fileSize
      tail = .unterminated
      segments[last].lacksLineFeed = true
    }
    segments[last].size = end
    guard end > 0 else { return }
    // Goes back to the first line of the last line's commit.
    let start = try lastLineStart(last)
    guard let batch = try batch(last, start..<end), batch.index < batch.count else { return }
    var first = start
    for index in (1..<batch.index).reversed() {
      guard first > 0 else { return }
      let before = try lineStart(last, before: first - 1)
      guard try self.batch(last, before..<first) == Batch(index: index, count: batch.count)
      else { return }
      first = before
    }
    segments[last].size = first
    segments[last].lacksLineFeed = false
    tail = .unfinishedBatch(events: batch.index, bytes: fileSize - first)
  }

  private func isSealedLine(_ segment: Int, _ range: Range<Int>) throws(LogError) -> Bool {
    guard let previous = try sum(segment, before: range.lowerBound) else { return false }
    return rightSum(try bytes(segment, range), after: previous) != nil
  }

  /// Returns a line's `batch`; nil if its checksum is wrong, because a damaged line does not prove
  /// an unfinished commit.
  private func batch(_ segment: Int, _ range: Range<Int>) throws(LogError) -> Batch? {
    guard range.count <= LineParser.longestLine + 1 else { return nil }
    var line = try bytes(segment, range)
    if line.last == 0x0a { line.removeLast() }
    let end = range.lowerBound + line.count
    guard try isSealedLine(segment, range.lowerBound..<end) else { return nil }
    var parser = LineParser()
    var names = Names()
    // A line that cannot be parsed is damaged. Its damage is reported when the line is read.
    return try? parser.parse(line, names: &names).line.batch
  }
}

/// The open segment files of a view and its copies. Each file is opened once.
final class OpenFiles: Sendable {
  private let files: FileSystem
  private let open = Mutex<[String: Int32]>([:])

  init(_ files: FileSystem) { self.files = files }

  func file(_ path: String) throws(FileError) -> Int32 {
    let result = open.withLock { open -> Result<Int32, FileError> in
      if let file = open[path] { return .success(file) }
      do throws(FileError) {
        let file = try PendingRewriting.wherever(path) { (path) throws(FileError) in
          try files.open(path, .read)
        }
        open[path] = file
        return .success(file)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  deinit {
    for (path, file) in open.withLock({ $0 }) { try? files.close(file, path) }
  }
}
