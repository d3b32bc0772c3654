import Events

extension Replay {
  public typealias Options = ReplayOptions

  /// Applies the events after the last one applied, up to and including position `until`.
  /// - Throws: `.damaged` at the first bad line, `.unknownType` unless told to skip.
  public mutating func run(
    _ history: some History, until: UInt64 = .max, options: Options = Options()
  ) async throws(LogError) {
    let chunks = try history.chunks(after: head.seq, until: until)
    var consumer = ChunkConsumer(after: head, unknown: options.unknown)
    let total = history.size
    var done = 0
    var failure: LogError?
    let queue = ChunkQueue(history, chunks, wanted: P.handles, jobs: options.jobs)
    // A state that comes from elsewhere would have to be copied for its second half.
    let second = P.hasHalves && options.jobs > 1 && head.seq == 0 ? SecondHalf(blank) : nil
    var pending: Task<Void, Never>?
    await withTaskGroup(of: Void.self) { group in
      for _ in 1..<max(options.jobs, 1) { group.addTask { await queue.help() } }
      for index in chunks.indices {
        do throws(LogError) {
          let chunk = try await queue.take(index)
          guard let second else {
            try consumer.consume(chunk, &names, until: until) { projection.apply($0) }
            done += chunk.byteCount
            options.progress(done, total)
            continue
          }
          var batches: [EventBatch] = []
          let decoded = Result { () throws(LogError) in
            try consumer.consume(chunk, &names, until: until) { batches.append(copy $0) }
          }
          await pending?.value
          pending = Task { [batches] in await second.apply(batches) }
          for batch in batches { projection.apply(batch, to: .first) }
          try decoded.get()
          done += chunk.byteCount
        } catch {
          failure = error
          queue.stop()
          break
        }
        options.progress(done, total)
      }
    }
    if let second {
      await pending?.value
      projection.takeSecondHalf(of: await second.give(leaving: blank))
    }
    settle(consumer)
    if let failure { throw failure }
  }
}

/// The half of a state that another core rebuilds.
private actor SecondHalf<P: Projection> {
  private var state: P

  init(_ blank: P) { state = blank }

  func apply(_ batches: [EventBatch]) {
    for batch in batches { state.apply(batch, to: .second) }
  }

  /// The state, which the actor does not keep: two owners of a table would copy it.
  func give(leaving other: P) -> P {
    defer { state = other }
    return state
  }
}

/// How a log is replayed.
public struct ReplayOptions: Sendable {
  /// How many tasks scan; at least 1.
  public var jobs = 2
  public var unknown = ChunkConsumer.UnknownPolicy.stop
  /// Called now and then with the number of bytes read so far and in total.
  public var progress: @Sendable (Int, Int) -> Void = { _, _ in }

  public init() {}
}
