/// An error of a log or of another event store.
public enum LogError: Error, Equatable, Sendable {
  /// A call to the operating system failed.
  case file(FileError)
  /// No file or folder exists at the log's path.
  case noSuchLog(path: String)
  /// The file or folder at the path cannot be used as a log; `reason` says why. For example, it is
  /// a FIFO.
  case notALog(path: String, reason: String)
  /// The log was rewritten to erase a user's data, after this program had opened it. Open the log
  /// again.
  case rewritten(path: String)
  /// The log is damaged: a line or a segment differs from the one that was written.
  case damaged(Damage)
  /// Another process has the log open for writing. `holder` is that process's description, from the
  /// lock file.
  case locked(path: String, holder: String)
  /// The log was closed, or an earlier write failed, so it accepts no more events. Open the log
  /// again.
  case closed(reason: String)
  /// The stream's revision, or the log's last position, is not the one that an append expected.
  case conflict(Conflict)
  /// The log already contains an event with the same id as an event to append, but the two differ.
  /// Or the log contains only some of the events to append, or not one after another.
  case idTaken(EventID, seq: UInt64)
  /// A command with the same idempotency key was already performed, so this command is not
  /// performed.
  case keyUsed(KeyUse)
  /// The time of an event to append is before the last recorded event's time.
  case timeGoesBack(last: Timestamp, given: Timestamp)
  /// An event to append is not valid, or its line would be longer than `LineParser.longestLine`.
  case invalidEvent(LineFault)
  /// The log does not have the requested revision.
  case noSuchRevision(NoSuchRevision)
  /// An import was refused because of a line of the imported file; `reason` says what is wrong.
  case notImported(file: String, line: Int, reason: String)
  /// An event in the log has an unknown type or version, and the reader's policy is `stop`.
  case unknownType(name: String, version: Int, seq: UInt64)
  /// An event store in another module, such as a database, failed.
  case store(StoreFailure)
}

/// An error of an event store in another module, such as an unreachable server or a refused
/// connection.
public protocol StoreError: Error, CustomStringConvertible {}

/// The place of damage in a log, and the fault found there.
public struct Damage: Error, Equatable, Sendable {
  /// The path of the damaged segment.
  public var file: String
  /// The number of the damaged line, counted from 1 within the file; 0 means the whole file.
  public var line: Int
  /// The offset of the damaged line: the bytes from the start of the file to the start of the line.
  public var offset: Int
  /// The sequence number (position) that the damaged line has or should have.
  public var seq: UInt64
  /// The fault found in the line.
  public var fault: LineFault

  /// Creates a damage report from the place and the fault.
  public init(file: String, line: Int, offset: Int, seq: UInt64, fault: LineFault) {
    (self.file, self.line, self.offset, self.seq, self.fault) = (file, line, offset, seq, fault)
  }
}

/// A conflict of an append: the stream, the revision that the append expected, and the actual
/// revision.
public struct Conflict: Equatable, Sendable {
  /// The stream's name; nil if the append expected a last position of the whole log.
  public var stream: String?
  /// The revision that the append expected.
  public var expected: ExpectedRevision
  /// The stream's actual revision, or the position of the log's last event; 0 without events.
  public var actual: UInt64

  /// Creates a conflict from the stream, the expected revision and the actual one.
  public init(stream: String?, expected: ExpectedRevision, actual: UInt64) {
    (self.stream, self.expected, self.actual) = (stream, expected, actual)
  }
}

/// The revision that an append expects a stream to have.
public enum ExpectedRevision: Equatable, Sendable {
  /// The stream may have any revision, or no events.
  case any
  /// The stream must have no events.
  case noStream
  /// The stream must have at least one event.
  case streamExists
  /// The stream's last event must have exactly this revision.
  case exact(UInt64)

  /// Whether a stream whose last event has revision `actual` fulfils the expectation; 0 means a
  /// stream without events.
  public func allows(_ actual: UInt64) -> Bool {
    switch self {
    case .any: true
    case .noStream: actual == 0
    case .streamExists: actual > 0
    case .exact(let revision): actual == revision
    }
  }
}

/// The reason why a log does not have a requested revision.
public enum NoSuchRevision: Error, Equatable, Sendable {
  /// The requested position is after the log's last event.
  case beyondHead(asked: UInt64, head: UInt64)
  /// The revision `HEAD~back` is before the log's first event.
  case beforeStart(back: UInt64, head: UInt64)
  /// No event of the log has this id.
  case noSuchEvent(EventID)
  /// The text is not a revision, and no bookmark has this name.
  case noSuchBookmark(String, known: [String])
  /// The bookmark was set on an event that is not the log's event at the bookmark's position.
  case foreignBookmark(String)
}
