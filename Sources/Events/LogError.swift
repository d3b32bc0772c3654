/// An error of a log or of another event store.
public enum LogError: Error, Equatable, Sendable {
  /// A call to the operating system failed.
  case file(FileError)
  /// The path does not exist.
  case noSuchLog(path: String)
  /// The path is not a log, but a FIFO or a file of another kind.
  case notALog(path: String, reason: String)
  /// The log was rewritten to erase a user's data since it was opened; open it again.
  case rewritten(path: String)
  /// A line or a segment is not as it was written.
  case damaged(Damage)
  /// Another process has the log open for writing; the lock file names it.
  case locked(path: String, holder: String)
  /// After an earlier failure the content of the disk is unknown; reopen the log.
  case closed(reason: String)
  /// A stream, or the whole log, is not at the revision that the append expected.
  case conflict(Conflict)
  /// The log already has an id of the append, with another body or without the append's other ids.
  case idTaken(EventID, seq: UInt64)
  /// The command's key was used before, so the command was already performed.
  case keyUsed(KeyUse)
  /// An event's time is before the last recorded event's time.
  case timeGoesBack(last: Timestamp, given: Timestamp)
  /// An event is not valid, or its line would be longer than `LineParser.longestLine`.
  case invalidEvent(LineFault)
  /// The log does not have this revision.
  case noSuchRevision(NoSuchRevision)
  /// The log refused a line of an import.
  case notImported(file: String, line: Int, reason: String)
  /// An event has an unknown type or version, and the policy is to stop.
  case unknownType(name: String, version: Int, seq: UInt64)
  /// A store that is not a folder failed.
  case store(StoreFailure)
}

/// The error of a store in another module, such as an unreachable server or a refused connection.
public protocol StoreError: Error, CustomStringConvertible {}

/// The place and the fault of damage in a log.
public struct Damage: Error, Equatable, Sendable {
  /// The segment's path.
  public var file: String
  /// The line's number, counted from 1 within the file; 0 means the whole file.
  public var line: Int
  /// The bytes from the start of the file to the start of the line.
  public var offset: Int
  /// The sequence number that the line has or should have.
  public var seq: UInt64
  /// The fault of the line.
  public var fault: LineFault

  /// Creates a damage report.
  public init(file: String, line: Int, offset: Int, seq: UInt64, fault: LineFault) {
    (self.file, self.line, self.offset, self.seq, self.fault) = (file, line, offset, seq, fault)
  }
}

/// A failed expectation of an append.
public struct Conflict: Equatable, Sendable {
  /// The stream's name; nil if the expectation was about the whole log's position.
  public var stream: String?
  /// The revision that the append expected.
  public var expected: ExpectedRevision
  /// The revision or position found; 0 if there is no event.
  public var actual: UInt64

  /// Creates a conflict.
  public init(stream: String?, expected: ExpectedRevision, actual: UInt64) {
    (self.stream, self.expected, self.actual) = (stream, expected, actual)
  }
}

/// The revision that an append expects a stream to have.
public enum ExpectedRevision: Equatable, Sendable {
  /// Any revision, or no stream.
  case any
  /// The stream has no events.
  case noStream
  /// The stream has at least one event.
  case streamExists
  /// The stream's last event has exactly this revision.
  case exact(UInt64)

  /// Whether a stream at revision `actual` fulfils the expectation; 0 means no events.
  public func allows(_ actual: UInt64) -> Bool {
    switch self {
    case .any: true
    case .noStream: actual == 0
    case .streamExists: actual > 0
    case .exact(let revision): actual == revision
    }
  }
}

/// The reason why a log does not have a revision.
public enum NoSuchRevision: Error, Equatable, Sendable {
  /// The revision is after the log's last one.
  case beyondHead(asked: UInt64, head: UInt64)
  /// `HEAD~back` is before the first event.
  case beforeStart(back: UInt64, head: UInt64)
  /// No event has this id.
  case noSuchEvent(EventID)
  /// The text is not a revision, and no bookmark has this name.
  case noSuchBookmark(String, known: [String])
  /// The log has another event at the bookmark's position than when the bookmark was set.
  case foreignBookmark(String)
}
