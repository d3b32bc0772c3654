import Events

/// The state of a log that a reader sees at one moment. It has only whole commits, even while a
/// writer appends.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// let line = try view.line(at: 42)
/// ```
/// Opening lists the folder, calls `stat` for each segment, and reads the last lines. Other lines
/// are checked when they are read.
public struct LogView: Sendable {
  struct Segment: Sendable {
    var path: String
    var first: UInt64
    /// The number of the file's bytes that belong to the view. Readers ignore later bytes.
    var size: Int
    var identity: UInt64
    /// The position of the segment's last event, plus 1; nil if a read must find it.
    var end: UInt64?
    /// Whether the last line is complete and sealed, but lacks its line feed.
    var lacksLineFeed = false
  }

  /// The kind of bytes after a log's last whole commit.
  public enum Tail: Equatable, Sendable {
    /// None: the log ends with a whole commit and a line feed.
    case none
    /// A complete line with a correct checksum, but without a line feed. Readers see the line.
    case unterminated
    /// Bytes that are not a complete line. Readers do not see them.
    case torn(bytes: Int)
    /// The first events of an incomplete commit. Readers do not see these events, nor the bytes
    /// after them.
    case unfinishedBatch(events: Int, bytes: Int)
  }

  /// The path of the log's folder. For events in memory: the name of the input that they came from.
  public let path: String
  /// The bytes found after the last whole commit when the log was opened.
  public internal(set) var tail: Tail = .none
  var segments: [Segment] = []
  /// For a view of a single segment that is not the log's first: the event before the segment. It
  /// is nil if that event is unknown.
  var before: LogHead?
  /// The size in bytes of the ledger of rewritings when the log was opened. A greater size later
  /// shows a rewriting, because the ledger only grows.
  package private(set) var ledgerSize = 0
  let source: Source

  enum Source: Sendable {
    case files(FileSystem, OpenFiles)
    case memory(SealedBytes)
  }

  /// Whether this is a log in a folder; false if the events are only in memory.
  public var isLog: Bool {
    if case .files = source { return true }
    return false
  }

  /// Whether this is a single segment without the other segments of its log.
  public var isSegment: Bool { isLog && segments.first?.path == path }

  public var checkpoints: Checkpoints? {
    guard case .files(let files, _) = source else { return nil }
    return Checkpoints(folder: path + "/checkpoints", files: files) { [path, ledgerSize] in
      Self.ledgerSize(path, files) == ledgerSize
    }
  }

  /// The path of the last segment, for messages.
  public var lastSegment: String? { segments.last?.path }
  /// The number of bytes in the last segment, without an incomplete line or commit at its end.
  public var lastSegmentSize: Int { segments.last?.size ?? 0 }
  /// The number of bytes in all segments, without an incomplete line or commit at the log's end.
  public var size: Int { segments.reduce(0) { $0 + $1.size } }
  /// The number of segments.
  public var segmentCount: Int { segments.count }

  /// Opens the log in a folder for reading.
  /// - Throws: `.noSuchLog`, `.notALog`, `.file`, and `.damaged` for a missing segment.
  public init(path: String, files: FileSystem = .posix) throws(LogError) {
    self.path = path
    source = .files(files, OpenFiles(files))
    ledgerSize = Self.ledgerSize(path, files)
    segments = try Self.list(path, files)
    if !segments.isEmpty {
      try findTail()
      try checkEmptySegment()
    }
  }

  /// Opens a single segment of a log, without the other segments.
  /// - Parameter before: the event before the segment's first one; nil if it is unknown.
  /// - Throws: `.noSuchLog`, `.notALog` if the file's name is not a segment's, `.file`.
  public init(
    segment path: String, after before: LogHead?, files: FileSystem = .posix
  ) throws(LogError) {
    self.path = path
    source = .files(files, OpenFiles(files))
    let status = try Self.status(path, files, missing: .noSuchLog(path: path))
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard status.kind == .file, let first = SegmentName.first(name) else {
      throw .notALog(path: path, reason: "it is neither a log's folder nor a segment")
    }
    self.before = before ?? (try? Self.head(before: first, in: path.dropLast(name.count), files))
    segments = [Segment(path: path, first: first, size: status.size, identity: status.identity)]
    if status.size > 0 { try findTail() }
  }

  /// Opens the log as it will be after new files, with the suffix `.new`, replace the files
  /// `names`.
  init(path: String, files: FileSystem, replacing names: [String]) throws(LogError) {
    self.path = path
    source = .files(files, OpenFiles(files))
    segments = try Self.list(path, files, replacing: names)
    if !segments.isEmpty { try findTail() }
  }

  init(path: String, sealed: SealedBytes) {
    self.path = path
    source = .memory(sealed)
    if sealed.count > 0 {
      segments = [Segment(path: path, first: 1, size: sealed.count, identity: 0)]
    }
  }

  private static func list(
    _ path: String, _ files: FileSystem, replacing new: [String] = []
  ) throws(LogError) -> [Segment] {
    let folder = try status(path, files, missing: .noSuchLog(path: path))
    guard folder.kind == .directory else {
      throw .notALog(path: path, reason: "a log is a folder of .jsonl segments")
    }
    var segments: [Segment] = []
    let names = try io { () throws(FileError) in try files.list(path) }
    // If a rewriting is decided, its new segments are valid, whether they are already renamed or
    // not.
    let rewritten = try PendingRewriting.names(in: path, names, files) ?? new
    for name in names {
      guard let first = SegmentName.first(name) else { continue }
      let new = name + PendingRewriting.suffix
      let isNew = rewritten.contains(name) && names.contains(new)
      let file = path + "/" + (isNew ? new : name)
      let status = try io { () throws(FileError) in
        try PendingRewriting.wherever(file) { (file) throws(FileError) in try files.status(file) }
      }
      guard status.kind == .file else {
        throw .notALog(path: file, reason: "a segment must be a regular file")
      }
      segments.append(
        Segment(path: file, first: first, size: status.size, identity: status.identity))
    }
    if segments.isEmpty,
      !names.allSatisfy(
        [
          "lock", "checkpoints", "recovered", Bookmarks.fileName, LineSorter.fileName,
          Rewritings.fileName, PendingRewriting.fileName, Clone.fileName,
          RecordedRules.fileName, FileLog.takeOverName,
        ].contains)
    {
      throw .notALog(path: path, reason: "a folder of other files, without .jsonl segments")
    }
    if let first = segments.first, first.first != 1 {
      throw .damaged(
        Damage(
          file: first.path, line: 0, offset: 0, seq: 1,
          fault: LineFault(.wrongSequence(expected: 1))))
    }
    return segments
  }

  /// Returns the size of the ledger of rewritings in bytes. If a new ledger is valid but not
  /// renamed yet, returns the new ledger's size.
  private static func ledgerSize(_ path: String, _ files: FileSystem) -> Int {
    let ledger = path + "/" + Rewritings.fileName
    let isPending = (try? files.status(path + "/" + PendingRewriting.fileName)) != nil
    let new = isPending ? try? files.status(ledger + PendingRewriting.suffix).size : nil
    return new ?? (try? files.status(ledger).size) ?? 0
  }

  /// Returns the error for a log whose events changed after it was opened.
  func replaced(_ path: String, _ reason: String) -> LogError {
    if case .files(let files, _) = source,
      Self.ledgerSize(self.path, files) != ledgerSize
    {
      return .rewritten(path: self.path)
    }
    return .notALog(path: path, reason: reason)
  }

  static func status(
    _ path: String, _ files: FileSystem, missing: LogError
  ) throws(LogError) -> FileSystem.Status {
    do throws(FileError) {
      return try files.status(path)
    } catch {
      throw error.isNotFound ? missing : .file(error)
    }
  }
}

func io<T>(_ body: () throws(FileError) -> T) throws(LogError) -> T {
  do throws(FileError) {
    return try body()
  } catch {
    throw .file(error)
  }
}

/// The names of segments, such as `0000000000000001.jsonl`: the position of the segment's first
/// event, written with 16 digits.
enum SegmentName {
  static func make(_ first: UInt64) -> String { first.padded(to: 16) + ".jsonl" }

  static func first(_ name: String) -> UInt64? {
    guard name.hasSuffix(".jsonl"), name.utf8.count == 22,
      name.utf8.prefix(16).allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      let first = UInt64(name.prefix(16)), first > 0
    else { return nil }
    return first
  }
}

/// All lines of an `InMemoryLog` or of an input file, in memory and with checksums.
/// `@unchecked Sendable`: nothing writes to the memory after `init`.
final class SealedBytes: @unchecked Sendable {
  let base: UnsafeMutablePointer<UInt8>
  let count: Int

  init(_ buffer: borrowing ByteBuffer) {
    count = buffer.count
    base = .allocate(capacity: count + 64)
    buffer.withBytes { bytes in
      if let source = bytes.baseAddress { base.update(from: source, count: bytes.count) }
    }
  }

  deinit { base.deallocate() }
}

extension LogView {
  /// Returns the line that starts at an offset, parsed by the strict parser, after checking its
  /// checksum.
  func line(_ segment: Int, start: Int) throws(LogError) -> SealedLine {
    let (bytes, previous) = try rawLine(segment, start: start)
    do throws(LineFault) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(LineFault) in
        try SealedLine(bytes, after: previous)
      }
    } catch {
      throw try damage(segment, start, error)
    }
  }

  /// Returns a line's bytes and the previous line's checksum. Most lines take a single read.
  private func rawLine(
    _ segment: Int, start: Int
  ) throws(LogError) -> (bytes: [UInt8], previous: UInt64?) {
    let lead = min(start, sumLength + 1)
    let window = try bytes(segment, start - lead..<min(segments[segment].size, start + 1 << 10))
    if let end = window[lead...].firstIndex(of: 0x0a), lead > sumLength {
      let previous = window.withUnsafeBufferPointer { recordedSum($0, before: lead) }
      return (Array(window[lead..<end]), previous)
    }
    let end = try lineEnd(segment, from: start)
    guard end - start <= LineParser.longestLine else {
      throw try damage(segment, start, LineFault(.tooLong(limit: LineParser.longestLine)))
    }
    return (try bytes(segment, start..<end), try sum(segment, before: start))
  }

  func damage(
    _ segment: Int, _ start: Int, _ fault: LineFault
  ) throws(LogError) -> LogError {
    let number = try lineNumber(segment, start)
    return .damaged(
      Damage(
        file: segments[segment].path, line: number, offset: start,
        seq: segments[segment].first + UInt64(number) - 1, fault: fault))
  }

  /// Returns the number, from 1, of the line at an offset. Reads all bytes before it, so it is only
  /// for messages.
  private func lineNumber(_ segment: Int, _ offset: Int) throws(LogError) -> Int {
    var count = 1
    var at = 0
    while at < offset {
      let end = min(offset, at + 1 << 20)
      count += lineFeedCount(try bytes(segment, at..<end))
      at = end
    }
    return count
  }
}

/// Checks and updates of a view that a log's writer needs.
extension LogView {
  /// Checks that an empty last segment is named after the next event. Ignores damage of the last
  /// line, which is reported when that line is read.
  func checkEmptySegment() throws(LogError) {
    guard let last = segments.last, last.size == 0 else { return }
    let head: LogHead
    do throws(LogError) {
      head = try self.head()
    } catch {
      if case .damaged = error { return }
      throw error
    }
    try checkEmptySegment(after: head)
  }

  /// Checks that an empty last segment is named after the next event, if the last event is already
  /// known.
  func checkEmptySegment(after head: LogHead) throws(LogError) {
    guard let last = segments.last, last.size == 0, last.first != head.seq + 1 else { return }
    throw .damaged(
      Damage(
        file: last.path, line: 0, offset: 0, seq: head.seq + 1,
        fault: LineFault(.wrongSequence(expected: head.seq + 1))))
  }

  /// Updates the view after recovery, which cut off the log's tail or added a missing line feed.
  mutating func finishRecovery() {
    if let last = segments.indices.last, segments[last].lacksLineFeed {
      segments[last].lacksLineFeed = false
      segments[last].size += 1
    }
    tail = .none
  }

  /// Updates the view after a batch of lines was written. The write may have begun new segments.
  mutating func grow(_ batch: inout WriteBatch) {
    var from = 0
    for (index, cut) in batch.cuts.enumerated() {
      if let last = segments.indices.last { segments[last].size += cut.offset - from }
      from = cut.offset
      segments.append(batch.begun[index])
    }
    if let last = segments.indices.last {
      segments[last].size += batch.bytes.count - from
      segments[last].end = batch.head.seq + 1
    }
  }
}
