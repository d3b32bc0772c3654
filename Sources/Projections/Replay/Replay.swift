import Events

/// A replay of a history, which rebuilds a projection.
///
/// It scans the log in chunks and applies their events in log order. `run` scans on all cores. It
/// applies events to the parts of a large state (`Projection.partCount`) in parallel.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// var replay = Replay(FollowCounts())
/// try await replay.run(view)
/// replay.projection.counts(of: replay.names.find(user: "alice")!)
/// ```
/// The result does not depend on the number of parallel jobs. Memory: the projection plus some
/// megabytes per job, because the jobs read the log in pieces.
/// - Complexity: O(bytes) to verify every line, and one `apply` per event of a type that the
///   projection handles.
public struct Replay<P: Projection>: Sendable {
  /// The projection after the events up to `head`.
  public var projection: P
  /// The initial state, before any event.
  package let blank: P
  /// The table that maps the events' ids to dense numbers.
  public var names = Names()
  /// The last event applied.
  public package(set) var head = LogHead()
  /// The number of events skipped because their type or version is unknown, by type.
  public package(set) var skipped: [UnknownType: Int] = [:]
  /// The saved state from which the replay started; nil if there was none.
  package var restored: (any SavedState)?
  /// The position of the last checkpoint that this replay has read or written.
  package var saved: UInt64 = 0

  /// Creates a replay that has applied no events.
  public init(_ projection: P = P()) {
    (self.projection, blank) = (projection, projection)
    names = newNames()
  }

  /// Creates a replay from the state after the events up to `head`, whose ids `names` contains.
  package init(_ projection: P, blank: P, names: Names, head: LogHead) {
    (self.projection, self.blank, self.names, self.head) = (projection, blank, names, head)
  }

  /// Returns an empty table of ids that lists the app's event types that the projection handles.
  package func newNames() -> Names {
    var names = Names()
    names.appEvents = blank.appEvents
    return names
  }

  /// The name of the saved state from which the replay started; nil if there was none.
  public var restoredFrom: String? { restored?.name }

  /// Applies the events after `head` up to and including position `until`, on the calling thread
  /// only. `run` uses several threads.
  /// - Throws: `.damaged` at the first bad line; `.unknownType` unless `unknown` is `.skip`.
  public mutating func apply(
    _ history: some History, until: UInt64 = .max, unknown: ChunkConsumer.UnknownPolicy = .stop
  ) throws(LogError) {
    var consumer = ChunkConsumer(after: head, unknown: unknown)
    var failure: LogError?
    do throws(LogError) {
      for chunk in try history.chunks(after: head.seq, until: until) {
        let chunk = try history.scan(chunk, wanted: P.handles)
        try consumer.consume(chunk, &names, until: until) { projection.apply($0) }
      }
    } catch {
      failure = error
    }
    settle(consumer)
    if let failure { throw failure }
  }

  /// Sets `head` to the last event that `consumer` has read, and settles the projection.
  package mutating func settle(_ consumer: ChunkConsumer) {
    head = consumer.head
    for (type, count) in consumer.skipped { skipped[type, default: 0] += count }
    projection.settle()
    // A state that started from a checkpoint is not checked: the check would read the whole state.
    assert(
      restored != nil || projection.brokenInvariant(names) == nil,
      projection.brokenInvariant(names) ?? "")
  }
}
