import Events

/// Rebuilds projections from a history: scans chunks on all cores, applies them in order on one.
///
/// ```swift
/// let view = try LogView(path: "eventlogs/demo")
/// var replay = Replay(Followers())
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
  /// Where the state was restored from.
  var checkpoint: CheckpointFile?

  public init(_ projection: P = P()) { (self.projection, blank) = (projection, projection) }

  public typealias Options = ReplayOptions

  /// Applies the events after the last one applied, up to and with position `until`.
  /// - Throws: `.damaged` at the first line that is wrong, `.unknownType` unless told to skip.
  public mutating func run(
    _ history: some History, until: UInt64 = .max, options: Options = Options()
  ) async throws(LogError) {
    let chunks = try history.chunks(after: head.seq, until: until)
    var consumer = ChunkConsumer(after: head, unknown: options.unknown)
    let total = history.size
    var done = 0
    var failure: LogError?
    let queue = ChunkQueue(history, chunks, wanted: P.handles, jobs: options.jobs)
    await withTaskGroup(of: Void.self) { group in
      for _ in 1..<max(options.jobs, 1) { group.addTask { await queue.help() } }
      for index in chunks.indices {
        do throws(LogError) {
          let chunk = try await queue.take(index)
          try consumer.consume(chunk, &names, until: until) { projection.apply($0) }
          done += chunk.byteCount
        } catch {
          failure = error
          queue.stop()
          break
        }
        options.progress(done, total)
      }
    }
    head = consumer.head
    for (type, count) in consumer.skipped { skipped[type, default: 0] += count }
    projection.settle()
    assert(
      projection.brokenInvariant(names) == nil || isDamaged, projection.brokenInvariant(names) ?? ""
    )
    if let failure { throw failure }
  }
}

/// How a log is replayed.
public struct ReplayOptions: Sendable {
  /// Tasks that scan: at least 1.
  public var jobs = 2
  public var unknown = ChunkConsumer.UnknownPolicy.stop
  /// Called now and then with how many bytes are read, and how many there are in all.
  public var progress: @Sendable (Int, Int) -> Void = { _, _ in }

  public init() {}
}
