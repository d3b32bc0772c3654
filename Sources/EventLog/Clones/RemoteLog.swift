import Events

/// A log that several machines share. Each machine has a clone, which is a log in a folder.
///
/// A clone seals its new lines so that they follow the last event it knows, and sends them. The
/// shared log appends them if that event is still its last. Otherwise it returns its new end, so
/// all copies hold the same bytes. `FolderRemote` is the reference implementation. The same tests
/// run clones of each kind of shared log.
public protocol RemoteLog: Sendable {
  /// The shared log's name for messages: a path, or an address without its password.
  var name: String { get }

  /// Returns the shared log's last position and checksum, and its number of rewritings.
  func head() async throws(LogError) -> RemoteHead

  /// Appends a batch's lines and records its uses of keys, all or none. It does so only if the
  /// log's last event is the one before the batch, and if none of the keys was recorded before.
  ///
  /// Sending the same batch again is not an error: the answer is `.appended`.
  /// - Throws: `.store(RemoteFault)`. After `.unknownOutcome`, the lines may have been appended or
  ///   not.
  func append(_ batch: RemoteBatch) async throws(LogError) -> RemoteAnswer

  /// Returns the recorded uses of keys. A shared log forgets a use after a day or later, and need
  /// not record the use of a key that is in an event's id.
  func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse]

  /// Returns whole lines after a position, in order, each with its line feed.
  /// - Parameter limit: the approximate maximum in bytes. At least one line is returned if there is
  ///   one.
  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8]

  /// Returns the checksum of the line at a position; 0 for position 0, nil after the last event.
  func sum(at position: UInt64) async throws(LogError) -> UInt64?

  /// Returns the shared log's ledger of rewritings.
  func rewritings() async throws(LogError) -> Rewritings

  /// Returns the rules that the shared log records, without entries if it records none.
  func rules() async throws(LogError) -> RecordedRules

  /// Appends the entries of `rules` that the shared log lacks. Recording the same entries again is
  /// not an error.
  /// - Throws: `RulesRefusal.changed` if `rules` does not begin with the shared log's entries.
  func record(_ rules: RecordedRules) async throws(LogError)

  /// Replaces the lines from the first changed line on, all or none. It does so only if the log
  /// still ends at `rewriting.before`.
  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer

  /// The lease by which servers agree which of them appends; nil if the log has none.
  var lease: (any WriterLease)? { get }

  /// Waits until the shared log announces new events, but not longer than `duration`.
  /// - Returns: the last position that the log announced since the last call; nil if it announced
  ///   none in this time.
  func awaitEvents(within duration: Duration) async -> UInt64?
}

/// The end of a shared log, and the number of its rewritings.
public struct RemoteHead: Equatable, Sendable {
  /// The position of the shared log's last event; 0 for an empty log.
  public var seq: UInt64
  /// The last event's chained checksum; 0 for an empty log.
  public var sum: UInt64
  /// The number of times that the log was rewritten.
  public var rewritings: Int

  /// Creates the end of a shared log, by default an empty one.
  public init(seq: UInt64 = 0, sum: UInt64 = 0, rewritings: Int = 0) {
    (self.seq, self.sum, self.rewritings) = (seq, sum, rewritings)
  }
}

/// Sealed lines to append to a shared log together.
public struct RemoteBatch: Sendable {
  /// One line, with the fields that a shared log indexes.
  public struct Line: Sendable {
    /// The line's bytes, without its line feed.
    public var bytes: [UInt8]
    /// The name of the event's stream.
    public var stream: String
    /// The event's revision in its stream.
    public var revision: UInt64
    /// The event's id.
    public var id: EventID
    /// The line's chained checksum.
    public var sum: UInt64

    /// Creates a line. The other arguments must have the values that `bytes` contains.
    public init(bytes: [UInt8], stream: String, revision: UInt64, id: EventID, sum: UInt64) {
      (self.bytes, self.stream, self.revision) = (bytes, stream, revision)
      (self.id, self.sum) = (id, sum)
    }
  }

  /// A command key's use, and whether the shared log must record it.
  public struct Use: Sendable {
    /// The use: the key, and the position and time at which its command was decided.
    public var use: KeyUse
    /// Whether the shared log must record the use, because no line of the batch contains the key. A
    /// database records all uses.
    public var isNoted: Bool

    /// Creates a use.
    public init(_ use: KeyUse, isNoted: Bool) { (self.use, self.isNoted) = (use, isNoted) }
  }

  /// The position at which the shared log must end for the batch to be appended.
  public var seq: UInt64
  /// The checksum of the line at `seq`.
  public var sum: UInt64
  /// The lines to append; empty if only uses of keys are to be recorded.
  public var lines: [Line]
  /// The uses of the commands' keys. The shared log refuses the batch if it has recorded one of
  /// these keys before.
  public var uses: [Use] = []
  /// The number of earlier attempts in a row that failed because other clones appended first. A
  /// shared log may prefer a clone with many such attempts.
  public var losses = 0

  /// Creates a batch that follows the event at `seq` with the checksum `sum`.
  public init(
    after seq: UInt64, _ sum: UInt64, _ lines: [Line], uses: [Use] = [], losses: Int = 0
  ) {
    (self.seq, self.sum, self.lines) = (seq, sum, lines)
    (self.uses, self.losses) = (uses, losses)
  }
}

/// A shared log's answer to a batch of lines or a rewriting.
public enum RemoteAnswer: Equatable, Sendable {
  /// The batch's lines are in the log, or the rewriting is done.
  case appended
  /// Nothing was changed, because other clones appended to the log or rewrote it. Holds the log's
  /// new end.
  case moved(RemoteHead)
  /// Nothing was appended, because earlier commands without events used these keys.
  case used([KeyUse])
}

/// A rewriting of a shared log, which replaces its lines from the first changed one on.
public struct RemoteRewriting: Sendable {
  /// The end of the log before the rewriting. The rewriting is refused if the log ends elsewhere.
  public var before: RemoteHead
  /// The new ledger; its last entry describes this rewriting.
  public var ledger: Rewritings
  /// The end of the log after the rewriting.
  public var after: RemoteHead
  /// Returns whole lines of the rewritten log after a position, like `RemoteLog.lines`.
  public var lines: @Sendable (_ after: UInt64, _ limit: Int) throws(LogError) -> [UInt8]

  /// The position of the first line that the rewriting changes.
  public var first: UInt64 { ledger.entries.last?.first ?? after.seq + 1 }
}

/// An error of a shared log, or a difference between it and a clone.
public enum RemoteFault: StoreError, Equatable {
  /// The shared log cannot be reached, or did not answer.
  case unreachable(String, reason: String)
  /// The connection was lost before the answer: the events may have been appended or not.
  case unknownOutcome(String, reason: String)
  /// The shared log refused the request.
  case refused(String, reason: String)
  /// Another server has the lease, so nothing was appended.
  case notWriter(String)
  /// There is no log at the address, or its format has another version.
  case noLog(String, reason: String)
  /// The database could lose acknowledged events, is a standby, or has another version of the
  /// schema.
  case unsafe(String, reason: String)
  /// The shared log and the clone differ after event `common`.
  case parted(String, common: UInt64, local: UInt64, remote: UInt64)
  /// The shared log ends at an earlier event of the clone: it lost events that it had acknowledged.
  case lost(String, local: UInt64, remote: UInt64)
  /// The shared log's ledger lacks rewritings that the clone has. It may again hold data of erased
  /// people.
  case forgotten(String)
  /// The shared log was repaired, so it lacks events from `first` on that the clone may have.
  case repaired(String, first: UInt64)
  /// A line of the shared log is damaged.
  case damaged(String, seq: UInt64, LineFault)
  /// The folder is a clone, so events can only be appended through its shared log.
  case isClone(path: String, of: String)
  /// The folder is not a clone: it has no file `remote`.
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
    case .notWriter(let name):
      "\(name): another server has the lease to append; nothing was appended"
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
    case .repaired(let name, let first):
      "\(name) was repaired, and lacks events from event \(first) on, which this clone may still "
        + "have: keep this folder until you have compared them, and make a new clone"
    case .damaged(let name, let seq, let fault): "\(name): event \(seq): \(fault)"
    case .isClone(let path, let url):
      "\(path) is a clone of \(Clone.masked(url)): use that log, or another folder"
    case .isNoClone(let path):
      "\(path) is not a clone: it has no file 'remote'; 'eventlog remote init' makes it one"
    }
  }
}

extension LogError {
  /// Whether the log's events are damaged or belong to another log, so that a retry does not help.
  var isWrongHistory: Bool {
    switch self {
    case .damaged, .invalidEvent, .notALog: true
    case .store:
      switch remoteFault {
      case .damaged, .parted, .lost, .forgotten, .repaired, .noLog: true
      default: false
      }
    default: false
    }
  }

  static func remote(_ fault: RemoteFault) -> LogError { .store(StoreFailure(fault)) }

  /// The shared log's fault that this error holds; nil for other errors.
  public var remoteFault: RemoteFault? {
    if case .store(let failure) = self { failure.reason as? RemoteFault } else { nil }
  }
}
