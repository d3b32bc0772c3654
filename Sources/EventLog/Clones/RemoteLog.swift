import Events

/// A log that several machines share. Each machine has a clone, which is a log in a folder.
///
/// A clone seals lines that follow the head it knows. The remote appends them if it still ends
/// there, and returns its new end otherwise, so all copies hold the same bytes. `FolderRemote` is
/// the reference; the same tests run clones of each kind.
public protocol RemoteLog: Sendable {
  /// A name for messages: a path, or an address without its password.
  var name: String { get }

  /// Returns the end of the log.
  func head() async throws(LogError) -> RemoteHead

  /// Appends sealed lines and notes uses of keys, all or none. It does so if the log ends where the
  /// lines begin, and none of the keys was noted before.
  ///
  /// Sending the same batch again is no error: it counts as appended.
  /// - Throws: `.store(RemoteFault)`; after `.unknownOutcome` the lines may be there or not.
  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer

  /// Returns whole lines after a position in order, each with its line feed.
  /// - Parameter limit: the approximate number of bytes; returns at least one line if there is one.
  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8]

  /// Returns the sum of the event at a position; 0 at position 0, nil beyond the head.
  func sum(at position: UInt64) async throws(LogError) -> UInt64?

  /// Returns the ledger of rewritings.
  func rewritings() async throws(LogError) -> Rewritings

  /// Returns the recorded rules, without entries if there are none.
  func rules() async throws(LogError) -> RecordedRules

  /// Appends the entries that the log's rules lack. Recording the same entries again is no error.
  /// - Throws: `RulesRefusal.changed` if the entries do not continue those of the log.
  func record(_ rules: RecordedRules) async throws(LogError)

  /// Replaces the lines from the first changed one on, all or none, if the log ends at
  /// `rewriting.before`.
  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer
}

/// The end of a shared log, and the number of its rewritings.
public struct RemoteHead: Equatable, Sendable {
  /// The position of the last event; 0 for an empty log.
  public var seq: UInt64
  /// The last event's chained sum; 0 for an empty log.
  public var sum: UInt64
  /// The number of times that the log was rewritten.
  public var rewritings: Int

  /// Creates the end of a log, by default an empty one.
  public init(seq: UInt64 = 0, sum: UInt64 = 0, rewritings: Int = 0) {
    (self.seq, self.sum, self.rewritings) = (seq, sum, rewritings)
  }
}

/// Sealed lines to append to a shared log together.
public struct RemoteBatch: Sendable {
  /// One line, with the members that a remote indexes.
  public struct Line: Sendable {
    /// The line without its line feed.
    public var bytes: [UInt8]
    /// The event's stream.
    public var stream: String
    /// The event's revision in its stream.
    public var revision: UInt64
    /// The event's id.
    public var id: EventID
    /// The event's chained sum.
    public var sum: UInt64

    /// Creates a line; the other arguments must agree with its bytes.
    public init(bytes: [UInt8], stream: String, revision: UInt64, id: EventID, sum: UInt64) {
      (self.bytes, self.stream, self.revision) = (bytes, stream, revision)
      (self.id, self.sum) = (id, sum)
    }
  }

  /// The use of a command's key.
  public struct Use: Sendable {
    /// The key's use.
    public var use: KeyUse
    /// Whether the log must note the use, because no line of the batch has the key.
    public var isNoted: Bool

    /// Creates a use.
    public init(_ use: KeyUse, isNoted: Bool) { (self.use, self.isNoted) = (use, isNoted) }
  }

  /// The position at which the log must end.
  public var seq: UInt64
  /// The sum of the event at `seq`.
  public var sum: UInt64
  /// The lines; empty if only uses of keys are to be noted.
  public var lines: [Line]
  /// The keys of the commands. The log refuses the batch if it noted one of them before.
  public var uses: [Use] = []
  /// How often in a row other clones appended first. A remote may prefer such a caller.
  public var losses = 0

  /// Creates a batch that follows the event at `seq` with the sum `sum`.
  public init(
    after seq: UInt64, _ sum: UInt64, _ lines: [Line], uses: [Use] = [], losses: Int = 0
  ) {
    (self.seq, self.sum, self.lines) = (seq, sum, lines)
    (self.uses, self.losses) = (uses, losses)
  }
}

/// A shared log's answer to a batch of lines or a rewriting.
public enum RemoteAnswer: Equatable, Sendable {
  /// The lines are in the log.
  case appended
  /// Nothing was appended: other clones have appended, or rewritten the log.
  case moved(RemoteHead)
  /// Nothing was appended: earlier commands without events used these keys.
  case used([KeyUse])
}

/// A rewriting of a shared log.
public struct RemoteRewriting: Sendable {
  /// The end of the log to be rewritten. The rewriting is refused if the log ends elsewhere.
  public var before: RemoteHead
  /// The new ledger; its last entry describes this rewriting.
  public var ledger: Rewritings
  /// The end of the new log.
  public var after: RemoteHead
  /// Returns whole lines of the new log after a position, like `RemoteLog.lines`.
  public var lines: @Sendable (_ after: UInt64, _ limit: Int) throws(LogError) -> [UInt8]

  /// The position of the first changed line.
  public var first: UInt64 { ledger.entries.last?.first ?? after.seq + 1 }
}

/// A fault of a shared log, or between it and a clone.
public enum RemoteFault: StoreError, Equatable {
  /// It cannot be reached, or did not answer.
  case unreachable(String, reason: String)
  /// The connection was lost before the answer: the events may have been appended or not.
  case unknownOutcome(String, reason: String)
  /// It refused the request.
  case refused(String, reason: String)
  /// It has no log, or a log of another version.
  case noLog(String, reason: String)
  /// It could lose acknowledged events, is a standby, or has another version of the schema.
  case unsafe(String, reason: String)
  /// The logs differ after event `common`.
  case parted(String, common: UInt64, local: UInt64, remote: UInt64)
  /// It ends at one of our earlier events: it lost events that it had acknowledged.
  case lost(String, local: UInt64, remote: UInt64)
  /// Its ledger lacks rewritings that the clone has, so it may again hold data of erased people.
  case forgotten(String)
  /// One of its lines is damaged.
  case damaged(String, seq: UInt64, LineFault)
  /// The folder is a clone, which takes events only through its remote.
  case isClone(path: String, of: String)
  /// The folder has no file `remote`.
  case isNoClone(path: String)

  public var description: String {
    switch self {
    case .unreachable(let name, let reason): "\(name): cannot be reached: \(reason)"
    case .unknownOutcome(let name, let reason):
      "\(name): the events may or may not have been appended (\(reason)): the next pull shows "
        + "which, and retrying with the same ids adds nothing twice"
    case .refused(let name, let reason), .noLog(let name, let reason),
      .unsafe(let name, let reason):
      "\(name): \(reason)"
    case .parted(let name, let common, let local, let remote):
      "\(name) and this clone are the same up to event \(common) and differ after it (it ends at "
        + "\(remote), the clone at \(local)); one of them was replaced: compare "
        + "the output of 'eventlog log \(common)..' for each, and make a new clone"
    case .lost(let name, let local, let remote):
      "\(name) ends at event \(remote), but acknowledged all up to \(local): it lost them (a "
        + "standby promoted without the last commits, or a backup restored); this clone has them: "
        + "push appends them again, unless others have appended after \(remote)"
    case .forgotten(let name):
      "\(name) lacks a rewriting that this clone has, perhaps because a backup was restored: it "
        + "contains forgotten people again. Forget them again (forget --again on a new clone, "
        + "with this clone's file rewritings as the --ledger), then make a new clone"
    case .damaged(let name, let seq, let fault): "\(name): event \(seq): \(fault)"
    case .isClone(let path, let url):
      "\(path) is a clone of \(Clone.masked(url)): use that log, or another folder"
    case .isNoClone(let path):
      "\(path) is not a clone: it has no file 'remote'; 'eventlog remote init' makes it one"
    }
  }
}

extension LogError {
  /// Whether a log's events are damaged or of another log, so that a retry does not help.
  var isWrongHistory: Bool {
    switch self {
    case .damaged, .invalidEvent, .notALog: true
    case .store:
      switch remoteFault {
      case .damaged, .parted, .lost, .forgotten, .noLog: true
      default: false
      }
    default: false
    }
  }

  static func remote(_ fault: RemoteFault) -> LogError { .store(StoreFailure(fault)) }

  /// The remote's fault; nil if the error is another one.
  public var remoteFault: RemoteFault? {
    if case .store(let failure) = self { failure.reason as? RemoteFault } else { nil }
  }
}
