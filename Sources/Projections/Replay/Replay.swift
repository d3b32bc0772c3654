import Events

/// Rebuilds a projection from a history: scans chunks (`run` uses all cores) and applies them in
/// order, the parts of a large state (`Projection.partCount`) side by side.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// var replay = Replay(FollowCounts())
/// try await replay.run(view)
/// replay.projection.counts(of: replay.names.find(user: "alice")!)
/// ```
/// The result does not depend on the number of jobs. The log is read in pieces: memory is that of
/// the projection plus some megabytes per job.
/// - Complexity: O(bytes) to verify every line, and one `apply` per event of a type that the
///   projection handles.
public struct Replay<P: Projection>: Sendable {
  public var projection: P
  /// The initial state, of the empty history.
  package let blank: P
  /// The table that interned the ids of the events.
  public var names = Names()
  /// The last event applied.
  public package(set) var head = LogHead()
  /// How many events were skipped because their type or version is unknown, by type.
  public package(set) var skipped: [UnknownType: Int] = [:]
  /// The saved state from which the replay started.
  package var restored: (any SavedState)?
  /// The position of the last checkpoint that this replay has read or written.
  package var saved: UInt64 = 0

  public init(_ projection: P = P()) {
    (self.projection, blank) = (projection, projection)
    names = newNames()
  }

  /// A state that was built otherwise, from the events up to `head`, whose ids `names` has.
  package init(_ projection: P, blank: P, names: Names, head: LogHead) {
    (self.projection, self.blank, self.names, self.head) = (projection, blank, names, head)
  }

  /// A table without names that knows the types of events the projection reads.
  package func newNames() -> Names {
    var names = Names()
    names.appEvents = blank.appEvents
    return names
  }

  /// The name of the saved state from which the replay started, if any.
  public var restoredFrom: String? { restored?.name }

  /// Applies the events after the last one applied, up to and including position `until`, on this
  /// thread only; `run` uses several.
  /// - Throws: `.damaged` at the first bad line, `.unknownType` unless told to skip.
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

  /// Takes over a consumer's position after the last event.
  package mutating func settle(_ consumer: ChunkConsumer) {
    head = consumer.head
    for (type, count) in consumer.skipped { skipped[type, default: 0] += count }
    projection.settle()
    // Does not check a checkpoint's state, because that would read all of it.
    assert(
      restored != nil || projection.brokenInvariant(names) == nil,
      projection.brokenInvariant(names) ?? "")
  }
}
