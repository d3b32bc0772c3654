import Events

/// A log as a reader sees it at one moment: whole commits only, whatever a writer does meanwhile.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// let line = try view.line(at: 42)
/// ```
/// Opening costs a listing, a `stat` for each segment and a look at the last lines; nothing is
/// scanned. All other lines are checked when they are read.
public struct LogView: Sendable {
  struct Segment: Sendable {
    var path: String
    /// The position of its first event.
    var first: UInt64
    /// The bytes to be read; fewer than the file has if its tail is left out.
    var size: Int
    var identity: UInt64
    /// The position after its last event, if it is known without reading.
    var end: UInt64?
    /// Whether the last line is whole and sealed, and lacks only its line feed.
    var lacksLineFeed = false
  }

  /// What follows the last whole commit of the last segment.
  public enum Tail: Equatable, Sendable {
    case none
    /// A whole line with the right sum that only lacks its line feed; it is read.
    case unterminated
    /// Bytes that are not a whole line; they are not read.
    case torn(bytes: Int)
    /// The first events of a commit whose rest is missing, and bytes after them; not read.
    case unfinishedBatch(events: Int, bytes: Int)
  }

  /// The folder's path, or the name of the unsealed input.
  public let path: String
  public internal(set) var tail: Tail = .none
  var segments: [Segment] = []
  /// The bytes of the ledger of rewritings when the log was opened: it only grows.
  package private(set) var ledgerSize = 0
  let source: Source

  /// Where the bytes are.
  enum Source: Sendable {
    case files(FileSystem, OpenFiles)
    case memory(SealedBytes)
  }

  /// Whether this is a log in a folder, and not an unsealed input.
  public var isLog: Bool {
    if case .files = source { return true }
    return false
  }

  public var checkpoints: Checkpoints? {
    guard case .files(let files, _) = source else { return nil }
    return Checkpoints(folder: path + "/checkpoints", files: files) { [path, ledgerSize] in
      Self.ledgerSize(path, files) == ledgerSize
    }
  }

  /// The path of the last segment, for messages.
  public var lastSegment: String? { segments.last?.path }
  /// The bytes of it that are read; a tail begins there.
  public var lastSegmentSize: Int { segments.last?.size ?? 0 }
  /// The bytes of all segments that are read.
  public var size: Int { segments.reduce(0) { $0 + $1.size } }
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

  /// The log as it will be when some of its files are replaced by those with `.new` after their
  /// names.
  init(path: String, files: FileSystem, replacing names: [String]) throws(LogError) {
    self.path = path
    source = .files(files, OpenFiles(files))
    segments = try Self.list(path, files, replacing: names)
    if !segments.isEmpty { try findTail() }
  }

  /// A log in memory, already sealed.
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
    // Of a rewriting that is decided the new segments count, wherever they are by now.
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
          RecordedRules.fileName,
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

  /// The bytes of the ledger of rewritings, also of one that waits to be renamed.
  private static func ledgerSize(_ path: String, _ files: FileSystem) -> Int {
    let ledger = path + "/" + Rewritings.fileName
    let isPending = (try? files.status(path + "/" + PendingRewriting.fileName)) != nil
    let new = isPending ? try? files.status(ledger + PendingRewriting.suffix).size : nil
    return new ?? (try? files.status(ledger).size) ?? 0
  }

  /// The error for events that are not those any more that were there when the log was opened.
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

/// Turns an error of the operating system into one of the log.
func io<T>(_ body: () throws(FileError) -> T) throws(LogError) -> T {
  do throws(FileError) {
    return try body()
  } catch {
    throw .file(error)
  }
}

/// `NNNNNNNNNNNNNNNN.jsonl`: the 16-digit position of a segment's first event.
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

/// Sealed lines in memory: the whole of an `InMemoryLog` or of an unsealed input.
///
/// `@unchecked Sendable`: written by its maker before it is handed out, and never after.
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
