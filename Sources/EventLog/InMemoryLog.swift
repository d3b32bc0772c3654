import Events
import Synchronization

/// A log in memory: the reference implementation that other stores are tested against.
///
/// It keeps the events, indexed by stream and id. An append costs O(its events). Nothing is
/// durable: use it in tests and previews.
public final class InMemoryLog: EventStore {
  private struct State: CommitIndex {
    var events: [RecordedEvent] = []
    var streams: [String: [Int]] = [:]
    var ids: [EventID: Int] = [:]
    /// The index of the first event for each value of the last 64 bits of a version 7 id.
    var tails: [UInt64: Int] = [:]
    var head = LogHead()

    func revision(of stream: String) -> UInt64 { UInt64(streams[stream]?.count ?? 0) }
    func find(_ id: EventID) -> RecordedEvent? { ids[id].map { events[$0] } }
    func find(tail: UInt64) -> RecordedEvent? { tails[tail].map { events[$0] } }
    func use(of tail: UInt64) -> KeyUse? { find(tail: tail).map { KeyUse($0) } }

    mutating func append(_ new: [RecordedEvent]) {
      var buffer = ByteBuffer()
      for var event in new {
        event.sum = buffer.appendLine(event, after: head.sum)
        streams[event.stream, default: []].append(events.count)
        ids[event.id] = events.count
        if event.id.time != nil, tails[event.id.low] == nil { tails[event.id.low] = events.count }
        events.append(event)
        head = LogHead(event)
      }
    }
  }

  private let state = Mutex(State())
  private let environment: RuntimeEnvironment

  /// Creates an empty log.
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
            let first = state.head.seq + 1
            state.append(events)
            results.append(
              .success(Appended(first: first, last: state.head.seq, isRepeat: false)))
          }
        } catch {
          results.append(.failure(error))
          break
        }
      }
      return results
    }
  }

  public func head() async -> UInt64 { state.withLock { $0.head.seq } }

  public func read(after position: UInt64, limit: Int) async -> [RecordedEvent] {
    state.withLock { state in
      Array(state.events.dropFirst(Int(clamping: position)).prefix(max(0, limit)))
    }
  }

  public func read(stream: String, after revision: UInt64) async -> [RecordedEvent] {
    state.withLock { state in
      (state.streams[stream] ?? []).dropFirst(Int(clamping: revision)).map { state.events[$0] }
    }
  }

  public func event(idTail tail: UInt64) async -> RecordedEvent? {
    state.withLock { $0.find(tail: tail) }
  }

  /// Returns the log at the present moment. Each line is encoded when it is read.
  public func history() -> RecordedHistory { RecordedHistory(state.withLock { $0.events }) }

  /// Returns the log at the present moment as a view, like that of a log on disk.
  /// - Complexity: O(events), because it encodes all lines.
  public func view() -> LogView {
    let events = state.withLock { $0.events }
    var buffer = ByteBuffer(capacity: events.count * 256)
    var sum: UInt64 = 0
    for event in events { sum = buffer.appendLine(event, after: sum) }
    return LogView(path: "memory", sealed: SealedBytes(buffer))
  }
}
