import EventLog
import Events
import Projections

extension Replay {
  /// The options of a replay.
  public typealias Options = ReplayOptions

  /// Applies the log's events after the last applied one, up to and including position `until`.
  /// - Throws: `.damaged` at the first damaged line; `.unknownType` at an event of an unknown type,
  ///   unless `options` skips these.
  public mutating func run(
    _ history: some History, until: UInt64 = .max, options: Options = Options()
  ) async throws(LogError) {
    let chunks = try history.chunks(after: head.seq, until: until)
    var consumer = ChunkConsumer(
      after: head, unknown: options.unknown, readsActors: P.readsActors)
    let total = history.size
    var done = 0
    var failure: LogError?
    let queue = ParallelScan(
      history, chunks, wanted: P.handles, filter: options.filter, jobs: options.jobs)
    // Parts are used only for a new state. Those of a restored state, or one that has run, would
    // have to be copied.
    let isInParts = P.partCount > 1 && options.jobs > 1 && head.seq == 0
    let parts = isInParts ? ReplayParts(projection) : nil
    var batches: [EventBatch] = []
    await withTaskGroup(of: Void.self) { group in
      for _ in 1..<max(options.jobs, 1) { group.addTask { await queue.help() } }
      for index in chunks.indices {
        do throws(LogError) {
          let chunk = try await queue.take(index)
          if let parts {
            try consumer.consume(chunk, &names, until: until) { batches.append(copy $0) }
            if batches.count >= ReplayParts<P>.batchCount {
              await parts.apply(batches)
              batches = []
            }
          } else {
            try consumer.consume(chunk, &names, until: until) { projection.apply($0) }
          }
          done += chunk.byteCount
        } catch {
          failure = error
          queue.stop()
          break
        }
        options.progress(done, total)
      }
    }
    await parts?.apply(batches)
    await parts?.give(to: &projection)
    settle(consumer)
    if let failure { throw failure }
  }
}

/// A state that is rebuilt in several parts at the same time. The tasks of one part run one after
/// the other.
///
/// Decoding is ahead of the slowest part. All cores then have work, although events and parts
/// differ in cost.
private final class ReplayParts<P: Projection> {
  /// The number of batches that a part applies at once. One projection after the other applies all
  /// of them, so that the tables of only one projection need the core's caches at a time.
  static var batchCount: Int { 512 }

  /// The number of groups of `batchCount` batches that may wait for the slowest part, besides the
  /// group that was decoded last.
  private static var window: Int { 2 }

  private actor Part {
    let number: Int
    private var state: P

    init(_ number: Int, _ blank: P) { (self.number, state) = (number, blank) }

    func apply(_ batches: [EventBatch]) { state.apply(batches, toPart: number) }

    func settle() { state.settle() }

    /// Returns the part's state, and keeps `other` in its place. With two owners, the state's
    /// tables would be copied at the next change.
    func give(leaving other: P) -> P {
      defer { state = other }
      return state
    }
  }

  private let blank: P
  private let parts: [Part]
  /// For each of the last groups of batches, the tasks that apply its events to the parts.
  private var pending: [[Task<Void, Never>]] = []

  init(_ blank: P) {
    self.blank = blank
    parts = (0..<P.partCount).map { Part($0, blank) }
  }

  /// Applies a group of batches to each part, after the earlier groups. Waits while too many groups
  /// are not applied yet.
  func apply(_ batches: [EventBatch]) async {
    if pending.count == Self.window {
      for task in pending.removeFirst() { await task.value }
    }
    let before = pending.last
    pending.append(
      parts.map { part in
        let earlier = before?[part.number]
        return Task {
          await earlier?.value
          await part.apply(batches)
        }
      })
  }

  /// Waits until all events are applied and each part is settled, and moves the parts into a state.
  func give(to state: inout P) async {
    let last = pending.last
    let settling = parts.map { part in
      let earlier = last?[part.number]
      return Task {
        await earlier?.value
        await part.settle()
      }
    }
    for (part, task) in zip(parts, settling) {
      await task.value
      state.takePart(part.number, of: await part.give(leaving: blank))
    }
  }
}

/// The options of a replay.
public struct ReplayOptions: Sendable {
  /// The number of tasks that scan the log, at least 1. With more than 1, further tasks rebuild the
  /// parts of a state.
  public var jobs = 2
  /// The treatment of events of unknown types.
  public var unknown = ChunkConsumer.UnknownPolicy.stop
  /// A closure that is called from time to time with the number of bytes read so far and in total.
  public var progress: @Sendable (Int, Int) -> Void = { _, _ in }

  /// The lines to decode; nil means all lines of the event types that the projection handles.
  package var filter: LineFilter?
  /// The limits within which `RelevantPast` finds an answer, without a replay of the whole log.
  package var worth = RelevanceWorth()

  /// Creates the default options.
  public init() {}
}
