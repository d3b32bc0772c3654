import EventLog
import Events
import Synchronization

/// A table with a row for each line, similar to a database's. It uses only the public interface, to
/// show what a store in another module needs.
public struct RowHistory: CheckpointedHistory {
  public struct Row: Sendable {
    public var seq: UInt64
    public var time: Timestamp
    public var line: [UInt8]
  }

  public var rows: [Row] = []
  /// The place of checkpoints; nil for none.
  public var checkpoints: Checkpoints?

  public var name: String { "table://rows" }
  public var size: Int { rows.reduce(0) { $0 + $1.line.count } }

  public func head() throws(LogError) -> LogHead { try head(at: UInt64(rows.count)) }

  /// Seven rows each, so that even small logs have many.
  public func chunks(after position: UInt64, until: UInt64) -> [Range<Int>] {
    let end = min(until, UInt64(rows.count))
    return stride(from: Int(min(position, end)), to: Int(end), by: 7).map {
      $0..<min($0 + 7, Int(end))
    }
  }

  public func read(_ chunk: Range<Int>) -> LineBlock {
    let before = chunk.lowerBound == 0 ? nil : rows[chunk.lowerBound - 1].line
    return LineBlock(rows[chunk].map(\.line), after: before, of: name)
  }
}

/// The same table as a store: `CommitPlan` decides about appends, and events are sealed.
public final class RowStore: EventStore {
  private struct State: CommitIndex {
    var table = RowHistory()
    var head = LogHead()
    var revisions: [String: UInt64] = [:]
    var ids: [EventID: UInt64] = [:]

    func revision(of stream: String) -> UInt64 { revisions[stream] ?? 0 }

    func find(_ id: EventID) throws(LogError) -> RecordedEvent? {
      guard let seq = ids[id] else { return nil }
      return try table.line(at: seq)?.event
    }

    func use(of tail: UInt64) throws(LogError) -> KeyUse? {
      let seqs = ids.lazy.filter { $0.key.low == tail && $0.key.time != nil }.map(\.value)
      return seqs.min().map { seq in
        KeyUse(tail: tail, body: nil, position: seq - 1, time: head.time)
      }
    }

    mutating func append(_ event: RecordedEvent) {
      let line = SealedLine(sealing: event, after: head.sum)
      table.rows.append(RowHistory.Row(seq: event.seq, time: event.time, line: line.bytes))
      head = LogHead(line.event)
      revisions[event.stream] = event.rev
      ids[event.id] = event.seq
    }
  }

  private let state = Mutex(State())
  private let environment: RuntimeEnvironment

  public init(_ environment: RuntimeEnvironment = .system) { self.environment = environment }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    state.withLock { state in
      var results: [Result<Appended, LogError>] = []
      for commit in commits {
        do throws(LogError) {
          switch try CommitPlan.make(commit, &state, environment) {
          case .done(let appended): results.append(.success(appended))
          case .note: results.append(.success(.noted))
          case .append(let events):
            for event in events { state.append(event) }
            results.append(.success(Appended(first: events[0].seq, last: state.head.seq)))
          }
        } catch {
          return results + [.failure(error)]
        }
      }
      return results
    }
  }

  public func history() -> RowHistory { state.withLock { $0.table } }

  public func head() async -> UInt64 { state.withLock { $0.head.seq } }

  public func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    var found: [RecordedEvent] = []
    if limit < 1 { return found }
    try history().forEachEvent(after: position) { event in
      found.append(event)
      return found.count < limit
    }
    return found
  }

  public func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent]
  {
    try await read(after: 0, limit: .max).filter { $0.stream == stream && $0.rev > revision }
  }
}
