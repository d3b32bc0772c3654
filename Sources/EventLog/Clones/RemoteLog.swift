import Events

/// A log that several machines share. Each machine has a clone, a log in a folder.
///
/// A clone seals lines on the head that it knows. The remote appends them if it still ends there,
/// and returns its new end otherwise. So all copies hold the same bytes. `FolderRemote` is the
/// reference; one suite of tests runs clones of each kind.
public protocol RemoteLog: Sendable {
  /// Its name for people: a path, or an address without its password.
  var name: String { get }

  /// The end of the log now.
  func head() async throws(LogError) -> RemoteHead

  /// Appends sealed lines and notes uses of keys, all or none, if the log ends where the lines
  /// begin and has noted none of the keys before.
  ///
  /// Appending the same group again is no error: it is found, and counts as appended.
  /// - Throws: `.store(RemoteFault)`; after `.unknownOutcome` the lines may be there or not.
  func append(_ group: RemoteGroup) async throws(LogError) -> RemoteAnswer

  /// Whole lines after a position, each with its line feed, in order.
  /// - Parameter limit: about how many bytes; at least one line comes if there is one.
  func lines(after position: UInt64, limit: Int) async throws(LogError) -> [UInt8]

  /// The sum of the event at a position; 0 at position 0, nil beyond the head.
  func sum(at position: UInt64) async throws(LogError) -> UInt64?

  /// The ledger of rewritings.
  func rewritings() async throws(LogError) -> Rewritings

  /// The recorded rules; no entries if there are none.
  func rules() async throws(LogError) -> RecordedRules

  /// Appends the entries that the log's rules lack.
  ///
  /// Recording the same entries again is no error.
  /// - Throws: `RulesRefusal.changed` if the entries do not continue those of the log.
  func record(_ rules: RecordedRules) async throws(LogError)

  /// Replaces the lines from the first that changes, all or none, if the log ends where it did
  /// before.
  func rewrite(_ rewriting: RemoteRewriting) async throws(LogError) -> RemoteAnswer
}

/// The end of a shared log, and how often it was rewritten.
public struct RemoteHead: Equatable, Sendable {
  /// The position of the last event; 0 for an empty log.
  public var seq: UInt64
  /// The last event's chained sum; 0 for an empty log.
  public var sum: UInt64
  public var rewritings: Int

  public init(seq: UInt64 = 0, sum: UInt64 = 0, rewritings: Int = 0) {
    (self.seq, self.sum, self.rewritings) = (seq, sum, rewritings)
  }
}

/// Sealed lines for a shared log.
public struct RemoteGroup: Sendable {
  public struct Line: Sendable {
    /// Without the line feed.
    public var bytes: [UInt8]
    public var stream: String
    public var revision: UInt64
    public var id: EventID
    public var sum: UInt64

    public init(bytes: [UInt8], stream: String, revision: UInt64, id: EventID, sum: UInt64) {
      (self.bytes, self.stream, self.revision) = (bytes, stream, revision)
      (self.id, self.sum) = (id, sum)
    }
  }

  /// The use of a command's key.
  public struct Use: Sendable {
    public var use: KeyUse
    /// Whether the log is to note it, because no line of the group has the key.
    public var isNoted: Bool

    public init(_ use: KeyUse, isNoted: Bool) { (self.use, self.isNoted) = (use, isNoted) }
  }

  /// Where the log must end for them to follow.
  public var seq: UInt64
  public var sum: UInt64
  /// None, if only uses of keys are to be noted.
  public var lines: [Line]
  /// The keys of the commands: the log refuses the group if it has noted one of them before.
  public var uses: [Use] = []
  /// How often in a row others were first. A remote may let such a caller go before others.
  public var losses = 0

  public init(
    after seq: UInt64, _ sum: UInt64, _ lines: [Line], uses: [Use] = [], losses: Int = 0
  ) {
    (self.seq, self.sum, self.lines) = (seq, sum, lines)
    (self.uses, self.losses) = (uses, losses)
  }
}

/// The answer of a shared log to a group of lines.
public enum RemoteAnswer: Equatable, Sendable {
  case appended
  /// Nothing was appended: others have appended, or rewritten the log.
  case moved(RemoteHead)
  /// Nothing was appended: commands without events used these keys before.
  case used([KeyUse])
}

/// A rewriting of a shared log.
public struct RemoteRewriting: Sendable {
  /// The end of the log that is rewritten; another end refuses the rewriting.
  public var before: RemoteHead
  /// The new ledger; its last entry is about this rewriting.
  public var ledger: Rewritings
  /// The end of the new log.
  public var after: RemoteHead
  /// Whole lines of the new log after a position, as `RemoteLog.lines`.
  public var lines: @Sendable (_ after: UInt64, _ limit: Int) throws(LogError) -> [UInt8]

  /// The position of the first line that is another.
  public var first: UInt64 { ledger.entries.last?.first ?? after.seq + 1 }
}

/// A fault between a clone and its shared log.
public enum RemoteFault: StoreError, Equatable {
  /// It cannot be reached, or did not answer.
  case unreachable(String, reason: String)
  /// The connection was lost before the answer: the events may have been appended or not.
  case unknownOutcome(String, reason: String)
  /// It answered that it cannot.
  case refused(String, reason: String)
  /// It has no log, or one of another version.
  case noLog(String, reason: String)
  /// Something about it would lose events that it acknowledged.
  case unsafe(String, reason: String)
  /// The logs are the same up to `common` only.
  case parted(String, common: UInt64, local: UInt64, remote: UInt64)
  /// It ends at an event of ours that is not our last: it lost what it had acknowledged.
  case lost(String, local: UInt64, remote: UInt64)
  /// Its ledger lacks rewritings that the clone has: whom they forgot may be in it again.
  case forgotten(String)
  /// A line of it is not what was written.
  case damaged(String, seq: UInt64, LineFault)
  /// The log takes events through its remote only.
  case isClone(path: String, of: String)
  case isNoClone(path: String)

  public var description: String {
    switch self {
    case .unreachable(let name, let reason): "\(name): not reached: \(reason)"
    case .unknownOutcome(let name, let reason):
      "\(name): it is not known whether the events were appended (\(reason)): the next pull shows "
        + "it, and trying again with the same ids adds nothing twice"
    case .refused(let name, let reason), .noLog(let name, let reason),
      .unsafe(let name, let reason):
      "\(name): \(reason)"
    case .parted(let name, let common, let local, let remote):
      "\(name) and this clone are the same up to event \(common) and differ after it (it ends at "
        + "\(remote), the clone at \(local)); one of them is not the log that it was: compare "
        + "what log \(common).. prints of each, and clone anew"
    case .lost(let name, let local, let remote):
      "\(name) ends at event \(remote), but acknowledged all up to \(local): it lost them (a "
        + "standby promoted without the last commits, or a backup restored); this clone has them: "
        + "push appends them again, unless others have gone on from \(remote)"
    case .forgotten(let name):
      "\(name) is from before a rewriting that this clone has, as after a restored backup: whom "
        + "the log forgot is in it again. Forget them once more (forget --again on a new clone, "
        + "with this clone's file rewritings as the --ledger), then clone anew"
    case .damaged(let name, let seq, let fault): "\(name): event \(seq): \(fault)"
    case .isClone(let path, let url):
      "\(path) is a clone of \(Clone.masked(url)) and takes events only through it"
    case .isNoClone(let path):
      "\(path) is no clone: there is no file 'remote' in it; remote init makes it one"
    }
  }
}

extension LogError {
  /// Whether the events of a log are not what was written, so that trying again does not help.
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

  /// The fault of a remote, if it is one.
  public var remoteFault: RemoteFault? {
    if case .store(let failure) = self { failure.reason as? RemoteFault } else { nil }
  }
}
