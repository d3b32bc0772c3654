/// What can go wrong between a program and a log.
public enum LogError: Error, Equatable, Sendable {
  /// The operating system refused.
  case file(FileError)
  /// There is nothing at this path.
  case noSuchLog(path: String)
  /// What is there is not a log: a FIFO, a file of another kind.
  case notALog(path: String, reason: String)
  /// A line or a segment that is not what it was when it was written.
  case damaged(Damage)
  /// Another process, named by the lock file, has the log open for writing.
  case locked(path: String, holder: String)
  /// An earlier failure left it unknown what is on disk; reopen the log.
  case closed(reason: String)
  /// A stream, or the log as a whole, is not where the append expected it.
  case conflict(Conflict)
  /// An id of the append is in the log already, with another body or only some of them.
  case idTaken(EventID, seq: UInt64)
  /// An event with a time before the last recorded one.
  case timeGoesBack(last: Timestamp, given: Timestamp)
  /// A line that would be longer than `LineParser.longestLine`, or an event that is no event.
  case invalidEvent(LineFault)
  /// A revision that this log does not have.
  case noSuchRevision(NoSuchRevision)
  /// A line from elsewhere that the log refused.
  case notImported(file: String, line: Int, reason: String)
  /// An event of a type or version that this code does not know, under the policy to stop.
  case unknownType(name: String, version: Int, seq: UInt64)
  /// A store that is not a folder could not do what it was asked.
  case store(StoreFailure)
}

/// Why a store of another module failed: a server that is gone, a refused connection.
public protocol StoreError: Error, CustomStringConvertible {}

/// A failure that a store outside this module reports, such as a database behind a network.
///
/// Two failures are equal if their sentences are.
///
/// The existential in it also keeps `LogError` and `UseCaseError` out of registers. Swift 6.3
/// crashes at `do { … } catch UseCaseError.refused(.profileExists) {}`, which compiles only for
/// an error that is passed in memory; `CatchTests` holds the ways to catch.
public struct StoreFailure: Error, Equatable, CustomStringConvertible {
  #if hasFeature(Embedded)
    // Embedded Swift has no existentials of values: what is left is what the reason says.
    public let description: String

    public init(_ reason: some StoreError) { description = reason.description }
  #else
    public var reason: any StoreError

    public init(_ reason: any StoreError) { self.reason = reason }

    public var description: String { reason.description }
  #endif

  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
}

/// Where and how a log is damaged.
public struct Damage: Error, Equatable, Sendable {
  /// The segment's path.
  public var file: String
  /// Counted from 1 within the file; 0 where the file as a whole is meant.
  public var line: Int
  /// Bytes from the start of the file to the start of the line.
  public var offset: Int
  /// The sequence number that stands or should stand there.
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

/// An append that expected another state.
public struct Conflict: Equatable, Sendable {
  /// The stream's name; nil where the position of the whole log was expected.
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

/// Why a revision means nothing in a log.
public enum NoSuchRevision: Error, Equatable, Sendable {
  case beyondHead(asked: UInt64, head: UInt64)
  case beforeStart(back: UInt64, head: UInt64)
  case noSuchEvent(EventID)
  case noSuchBookmark(String, known: [String])
  /// The event that the bookmark was set at is not the one that is there.
  case foreignBookmark(String)
}
