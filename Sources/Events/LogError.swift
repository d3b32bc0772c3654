/// What can go wrong between a program and a log.
public enum LogError: Error, Equatable, Sendable {
  /// The operating system refused.
  case file(FileError)
  /// There is nothing at this path.
  case noSuchLog(path: String)
  /// What is at the path is not a log, but a FIFO or a file of another kind.
  case notALog(path: String, reason: String)
  /// The log was rewritten since it was opened, to forget somebody; it is to be opened anew.
  case rewritten(path: String)
  /// A line or a segment is not what was written.
  case damaged(Damage)
  /// Another process, named by the lock file, has the log open for writing.
  case locked(path: String, holder: String)
  /// After an earlier failure it is unknown what is on disk; reopen the log.
  case closed(reason: String)
  /// A stream, or the log as a whole, is not where the append expected it.
  case conflict(Conflict)
  /// An id of the append is in the log already, with another body, or without the append's others.
  case idTaken(EventID, seq: UInt64)
  /// The command's key was used before: the command was performed then.
  case keyUsed(KeyUse)
  /// An event's time is before that of the last recorded event.
  case timeGoesBack(last: Timestamp, given: Timestamp)
  /// An event that is not valid, or whose line would be longer than `LineParser.longestLine`.
  case invalidEvent(LineFault)
  /// A revision that this log does not have.
  case noSuchRevision(NoSuchRevision)
  /// A foreign line that the log refused.
  case notImported(file: String, line: Int, reason: String)
  /// An event of an unknown type or version, if the policy is to stop.
  case unknownType(name: String, version: Int, seq: UInt64)
  /// A store that is not a folder could not do what it was asked.
  case store(StoreFailure)
}

/// Why a store of another module failed: a server that is gone, a refused connection.
public protocol StoreError: Error, CustomStringConvertible {}

/// Where and how a log is damaged.
public struct Damage: Error, Equatable, Sendable {
  /// The segment's path.
  public var file: String
  /// Counted from 1 within the file; 0 means the file as a whole.
  public var line: Int
  /// Bytes from the start of the file to the start of the line.
  public var offset: Int
  /// The sequence number that the line has or should have.
  public var seq: UInt64
  public var fault: LineFault

  public init(file: String, line: Int, offset: Int, seq: UInt64, fault: LineFault) {
    self.file = file
    self.line = line
    self.offset = offset
    self.seq = seq
    self.fault = fault
  }
}

/// An append whose expectation does not hold.
public struct Conflict: Equatable, Sendable {
  /// The stream's name; nil if the expectation was about the position of the whole log.
  public var stream: String?
  public var expected: ExpectedRevision
  /// The revision or position found; 0 is none.
  public var actual: UInt64

  public init(stream: String?, expected: ExpectedRevision, actual: UInt64) {
    self.stream = stream
    self.expected = expected
    self.actual = actual
  }
}

/// What an append expects of a stream's revision.
public enum ExpectedRevision: Equatable, Sendable {
  case any
  case noStream
  case streamExists
  case exact(UInt64)

  public func allows(_ actual: UInt64) -> Bool {
    switch self {
    case .any: true
    case .noStream: actual == 0
    case .streamExists: actual > 0
    case .exact(let revision): actual == revision
    }
  }
}

/// Why a log does not have a revision.
public enum NoSuchRevision: Error, Equatable, Sendable {
  case beyondHead(asked: UInt64, head: UInt64)
  case beforeStart(back: UInt64, head: UInt64)
  case noSuchEvent(EventID)
  case noSuchBookmark(String, known: [String])
  /// The log has another event than the one that the bookmark was set on.
  case foreignBookmark(String)
}
