/// Where events are kept: appended in commits, read by position or by stream.
///
/// It speaks of streams, expected revisions, commits and a global position, never of files, so that
/// a database can stand behind it; `CommitPlan` judges a commit for any store. `InMemoryLog` is the
/// reference, `FileLog` the log on disk; one suite of tests runs against both.
public protocol EventStore: Sendable {
  /// Appends the commits in their order, up to the first that is refused; each is whole or absent,
  /// and durable when this returns.
  /// - Returns: a result for each commit, up to and with the first failure.
  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>]

  /// The position of the last event: 0 for an empty log.
  func head() async throws(LogError) -> UInt64

  /// Up to `limit` events after a position, in order.
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent]

  /// The events of a stream after a revision, in order; none for a stream that does not exist.
  func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent]

  /// What of the log can be read as a whole.
  associatedtype Snapshot: History

  /// The log as it is now: how whoever keeps state catches up.
  func history() async throws(LogError) -> Snapshot

  /// An element whenever others may have appended; changes that come close together may be one.
  ///
  /// A core that is made over the store follows it, and so sees what they appended.
  /// - Returns: nil where nobody else can append, as this process holds the lock of the writer.
  func changes() -> AsyncStream<Void>?
}

extension EventStore {
  public func changes() -> AsyncStream<Void>? { nil }
}

extension EventStore {
  /// Appends one commit.
  /// - Throws: `LogError.conflict` if an expectation does not hold, and what the store can meet.
  @discardableResult
  public func append(_ commit: Commit) async throws(LogError) -> Appended {
    guard let result = await append([commit]).first else {
      return Appended(first: 0, last: 0, isRepeat: false)
    }
    return try result.get()
  }
}

/// Events that are appended together or not at all, and what their author takes for granted.
public struct Commit: Equatable, Sendable {
  /// What a stream, written or only read, is expected to be at.
  public struct Expectation: Equatable, Sendable {
    public var stream: String
    public var revision: ExpectedRevision

    public init(_ stream: String, _ revision: ExpectedRevision) {
      self.stream = stream
      self.revision = revision
    }
  }

  public var events: [NewEvent]
  public var expecting: [Expectation]
  /// The position of the whole log at which the decision was made, where a rule reaches across
  /// streams; nil where it does not.
  public var position: UInt64?

  public init(
    _ events: [NewEvent], expecting: [Expectation] = [], position: UInt64? = nil
  ) {
    self.events = events
    self.expecting = expecting
    self.position = position
  }
}

/// Where a commit stands in the log.
public struct Appended: Equatable, Sendable {
  /// Positions of the first and the last event; 0 and 0 for a commit without events.
  public var first: UInt64
  public var last: UInt64
  /// The events had been appended before, by an earlier try.
  public var isRepeat: Bool

  public init(first: UInt64, last: UInt64, isRepeat: Bool = false) {
    self.first = first
    self.last = last
    self.isRepeat = isRepeat
  }
}

/// The clock, the randomness and the scheduling of a store or a core, passed in so that tests can
/// replace them.
public struct RuntimeEnvironment: Sendable {
  public var now: @Sendable () -> Timestamp
  public var random: @Sendable () -> (UInt64, UInt64)
  /// Starts a task that nobody awaits.
  public var start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  public init(
    now: @escaping @Sendable () -> Timestamp,
    random: @escaping @Sendable () -> (UInt64, UInt64),
    start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void = { body in
      Task { await body() }
    }
  ) {
    self.now = now
    self.random = random
    self.start = start
  }

  /// The system's.
  public static let system = RuntimeEnvironment(
    now: systemTime,
    random: { (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)) })
}
