import Events

/// Rebuilds projections from a history: scans chunks (`run` on all cores), applies them in order on
/// one.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// var replay = Replay(FollowCounts())
/// try await replay.run(view)
/// replay.projection.counts(of: replay.names.find(user: "alice")!)
/// ```
/// The result does not depend on how many jobs there are. Reading is in pieces, never of the
/// whole log: memory is the projection's and about a megabyte a job.
/// - Complexity: O(bytes) for the verification of every line, and one `apply` for each event of a
///   type that the projection handles.
public struct Replay<P: Projection>: Sendable {
  public var projection: P
  /// As it was at first: of the empty history.
  let blank: P
  /// The table that gave the events their ids.
  public var names = Names()
  /// The last event applied.
  public internal(set) var head = LogHead()
  /// Events passed over since their type or version is not known, by type.
  public internal(set) var skipped: [UnknownType: Int] = [:]
  /// What the state was restored from.
  var restored: (any SavedState)?

  public init(_ projection: P = P()) { (self.projection, blank) = (projection, projection) }

  /// Whether what was read of the checkpoint since was not what had been written: then the state
  /// is worth nothing, and has to be rebuilt without it.
  public var isDamaged: Bool { restored?.isDamaged == true }

  /// Where the state was restored from, if it was.
  public var restoredFrom: String? { restored?.name }

  /// Applies the events after the last one applied, up to and with position `until`, on this thread
  /// alone; `run` does it on several.
  /// - Throws: `.damaged` at the first line that is wrong, `.unknownType` unless told to skip.
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

  /// Takes in what a consumer came to, after the last event.
  mutating func settle(_ consumer: ChunkConsumer) {
    head = consumer.head
    for (type, count) in consumer.skipped { skipped[type, default: 0] += count }
    projection.settle()
    assert(
      projection.brokenInvariant(names) == nil || isDamaged, projection.brokenInvariant(names) ?? ""
    )
  }
}
