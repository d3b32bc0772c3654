import Events

/// A store of events, which are appended in commits and read by position or by stream.
///
/// The protocol does not involve files, so a database can implement it. `CommitPlan` decides for
/// every store whether a commit is accepted. `InMemoryLog` is the reference implementation, and
/// `FileLog` is the log on disk. The same tests run on both.
public protocol EventStore: Sendable {
  /// Appends commits in order, up to the first commit that is refused. Each commit is appended in
  /// full or not at all. The appended commits are durable when the call returns.
  /// - Returns: a result for each commit, up to and including the first failure.
  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>]

  /// Returns the position of the last event; 0 for an empty log.
  func head() async throws(LogError) -> UInt64

  /// Returns the position of the last event. A clone first fetches new events from its shared log.
  func latest() async throws(LogError) -> UInt64

  /// Returns up to `limit` events after a position, in order.
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent]

  /// Returns a stream's events after a revision, in order; none if the stream does not exist.
  func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent]

  /// Returns the first event whose id is a version 7 UUID with these last 64 bits. A retried
  /// command finds its first attempt this way, because it does not know the time in that attempt's
  /// id.
  func event(idTail tail: UInt64) async throws(LogError) -> RecordedEvent?

  /// Returns the first known use of each key, in the order of `tails`; nil for an unused key. A key
  /// is the last 64 bits of the id of a command's first event.
  func uses(of tails: [UInt64]) async throws(LogError) -> [KeyUse?]

  /// Whether `append` accepts a commit without events, to record that its command's key was used.
  var notesKeys: Bool { get }

  /// The type of an unchanging view of the log. A `Core` or a replay reads the events from it.
  associatedtype Snapshot: History

  /// Returns a view of the log at the present moment, from which a `Core` or a replay reads events.
  func history() async throws(LogError) -> Snapshot

  /// Returns the rules that the log records, without entries if it records none.
  func recordedRules() async throws(LogError) -> RecordedRules

  /// Records the rules that apply from the next event on. A store that cannot record rules does
  /// nothing.
  func record(rules: JSONValue) async throws(LogError)

  /// Returns a stream that yields when another process may have appended events. A `Core` then
  /// applies these events. One yield may stand for several changes.
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

  /// - Complexity: O(events of the log). A store with an index of ids is faster.
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
  /// - Throws: `LogError.conflict` if a stream does not have its expected revision; the store's own
  ///   errors.
  @discardableResult
  public func append(_ commit: Commit) async throws(LogError) -> Appended {
    guard let result = await append([commit]).first else {
      return Appended(first: 0, last: 0, isRepeat: false)
    }
    return try result.get()
  }
}

/// Events that are appended all or none, and the log state that their decision requires.
public struct Commit: Equatable, Sendable {
  /// The revision that a stream must have when the commit is appended. The commit writes to the
  /// stream, or its decision depended on it.
  public struct Expectation: Equatable, Sendable {
    /// The name of the stream whose revision is checked.
    public var stream: String
    /// The revision that the stream must have.
    public var revision: ExpectedRevision

    /// Creates an expectation.
    public init(_ stream: String, _ revision: ExpectedRevision) {
      (self.stream, self.revision) = (stream, revision)
    }
  }

  /// The events to append, in order.
  public var events: [NewEvent]
  /// The revisions that streams must have for the commit to be appended.
  public var expecting: [Expectation]
  /// The position of the log's last event when the decision was made. The commit is refused if the
  /// log has later events. Nil if no rule of the decision involves several streams.
  public var position: UInt64?
  /// The use of the command's key, if it has one. The commit is refused if the key was used before.
  public var use: KeyUse?

  /// Creates a commit.
  public init(
    _ events: [NewEvent], expecting: [Expectation] = [], position: UInt64? = nil,
    use: KeyUse? = nil
  ) {
    (self.events, self.expecting, self.position, self.use) = (events, expecting, position, use)
  }
}

/// The positions of a commit's events in the log.
public struct Appended: Equatable, Sendable {
  /// The position of the commit's first event.
  public var first: UInt64
  /// The position of the commit's last event.
  public var last: UInt64
  /// Whether an earlier attempt had already appended the commit's events.
  public var isRepeat: Bool

  /// The result of a commit that only records the use of a key. Its positions are greater than any
  /// durable position, so that the commit fails if its batch is not written.
  public static let noted = Appended(first: .max, last: .max)

  /// Creates a result.
  public init(first: UInt64, last: UInt64, isRepeat: Bool = false) {
    (self.first, self.last, self.isRepeat) = (first, last, isRepeat)
  }
}

/// The clocks, randomness and scheduling of a store or a core. Tests replace them.
public struct RuntimeEnvironment: Sendable {
  /// Returns the present time.
  public var now: @Sendable () -> Timestamp
  /// Returns 128 random bits.
  public var random: @Sendable () -> (UInt64, UInt64)
  /// Starts a task that the caller does not wait for.
  public var start: @Sendable (@escaping @Sendable () async -> Void) -> Void
  /// Returns the present instant of the clock for waits, which never goes back.
  public var instant: @Sendable () -> ContinuousClock.Instant = { .now }
  /// Waits for a duration, or until the task is cancelled.
  public var sleep: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

  /// Creates an environment; by default, `start` starts a `Task`.
  public init(
    now: @escaping @Sendable () -> Timestamp,
    random: @escaping @Sendable () -> (UInt64, UInt64),
    start: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void = { body in
      Task { await body() }
    }
  ) {
    (self.now, self.random, self.start) = (now, random, start)
  }

  /// The system's clock and randomness.
  public static let system = RuntimeEnvironment(
    now: systemTime, random: SystemRandomness().pair)
}

extension DateTime {
  /// The present date and time in UTC by the system's clock, to the millisecond.
  public static var now: DateTime { DateTime(systemTime()) }
}
