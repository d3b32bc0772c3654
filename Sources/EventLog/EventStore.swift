import Events

/// Where events are kept: appended in commits, read by position or by stream.
///
/// It knows no files, so a database can implement it; `CommitPlan` judges a commit for any store.
/// `InMemoryLog` is the reference, `FileLog` the log on disk; one suite of tests runs against both.
public protocol EventStore: Sendable {
  /// Appends the commits in order, up to the first that is refused. Each commit is appended whole
  /// or not at all, and is durable when this returns.
  /// - Returns: a result for each commit, up to and including the first failure.
  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>]

  /// The position of the last event: 0 for an empty log.
  func head() async throws(LogError) -> UInt64

  /// The position of the last event, after fetching what others have appended: a clone asks its
  /// remote.
  func latest() async throws(LogError) -> UInt64

  /// Up to `limit` events after a position, in order.
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent]

  /// The events of a stream after a revision, in order; none for a stream that does not exist.
  func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent]

  /// The first event whose id is a version 7 id with these last 64 bits: the first try of a retried
  /// command, whose time is not known.
  func event(idTail tail: UInt64) async throws(LogError) -> RecordedEvent?

  /// The first known uses of commands' keys, in the order of the keys' tails; nil for an unused
  /// key.
  func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse?]

  /// Whether `append` also takes commits without events, in order to note the use of their keys.
  var notesKeys: Bool { get }

  associatedtype Snapshot: History

  /// The log as it is now, from which a core or a replay catches up.
  func history() async throws(LogError) -> Snapshot

  /// The rules that the log records; no entries if it records none.
  func recordedRules() async throws(LogError) -> RecordedRules

  /// Records the rules that hold from the next event on, if the store has a place for rules.
  func record(rules: JSONValue) async throws(LogError)

  /// Yields whenever others may have appended; changes close together may yield once.
  ///
  /// A core on this store follows it, and so sees what others append.
  /// - Returns: nil if nobody else can append, because this process holds the writer's lock.
  func changes() -> AsyncStream<Void>?
}

extension EventStore {
  public func changes() -> AsyncStream<Void>? { nil }

  public func latest() async throws(LogError) -> UInt64 { try await head() }

  public var notesKeys: Bool { false }

  public func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse?] {
    var uses: [KeyUse?] = []
    for tail in tails { uses.append(try await event(idTail: tail).map { KeyUse($0) }) }
    return uses
  }

  public func recordedRules() async throws(LogError) -> RecordedRules { RecordedRules() }

  public func record(rules: JSONValue) async throws(LogError) {}

  /// - Complexity: O(log). A store with an index of ids does better.
  public func event(idTail tail: UInt64) async throws(LogError) -> RecordedEvent? {
    var position: UInt64 = 0
    while true {
      let page = try await read(after: position, limit: 1_024)
      if let found = page.first(where: { $0.id.low == tail && $0.id.time != nil }) { return found }
      guard let last = page.last else { return nil }
      position = last.seq
    }
  }
}

extension EventStore {
  /// Appends one commit.
  /// - Throws: `LogError.conflict` if an expectation does not hold, and the store's own failures.
  @discardableResult
  public func append(_ commit: Commit) async throws(LogError) -> Appended {
    guard let result = await append([commit]).first else {
      return Appended(first: 0, last: 0, isRepeat: false)
    }
    return try result.get()
  }
}

/// Events that are appended together or not at all, and what their author expects of the log.
public struct Commit: Equatable, Sendable {
  /// The revision that a stream, written or only read, is expected to have.
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
  /// The position of the log at which the decision was made; nil if no rule reaches across streams.
  public var position: UInt64?
  /// The use of the command's key, if it has one: the commit is refused if the key was used before.
  public var use: KeyUse?

  public init(
    _ events: [NewEvent], expecting: [Expectation] = [], position: UInt64? = nil,
    use: KeyUse? = nil
  ) {
    self.events = events
    self.expecting = expecting
    self.position = position
    self.use = use
  }
}

/// Where a commit stands in the log.
public struct Appended: Equatable, Sendable {
  /// Positions of the first and the last event; equal, and of no event, for a commit without any.
  public var first: UInt64
  public var last: UInt64
  /// Whether an earlier try had appended the events already.
  public var isRepeat: Bool

  /// The result of a commit that only notes the use of a key. The positions are beyond every log's
  /// end, so that the commit fails if the group does.
  public static let noted = Appended(first: .max, last: .max)

  public init(first: UInt64, last: UInt64, isRepeat: Bool = false) {
    self.first = first
    self.last = last
    self.isRepeat = isRepeat
  }
}

/// The clock, the randomness and the scheduling that a store or a core uses; tests replace them.
public struct RuntimeEnvironment: Sendable {
  public var now: @Sendable () -> Timestamp
  public var random: @Sendable () -> (UInt64, UInt64)
  /// Starts a task that is not awaited.
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

  public static let system = RuntimeEnvironment(
    now: systemTime, random: SystemRandomness().pair)
}

extension DateTime {
  /// The present, in UTC, to the millisecond, by the system's clock.
  public static var now: DateTime { DateTime(systemTime()) }
}
