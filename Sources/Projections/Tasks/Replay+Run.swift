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
    settle(consumer)
    if let failure { throw failure }
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
