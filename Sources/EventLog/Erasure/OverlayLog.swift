import Events
import Synchronization

/// A log, plus events that a rewriting will add to it. These events are checked like appended ones
/// and kept in memory; this store never writes them.
///
/// It knows the revisions of those streams that a survey read completely. Reading the whole log's
/// index instead would take ten times as long as all other work.
public final class OverlayLog: EventStore {
  private struct State: CommitIndex {
    var head: LogHead
    var revisions: [String: UInt64]
    var events: [RecordedEvent] = []

    func revision(of stream: String) -> UInt64 { revisions[stream] ?? 0 }

    // The added events always have new ids, and no command is retried.
    func find(_ id: EventID) -> RecordedEvent? { nil }
    func use(of tail: UInt64) -> KeyUse? { nil }
  }

  private let state: Mutex<State>
  private let environment: RuntimeEnvironment
  private let view: LogView

  /// Creates a store from a log and a survey of it.
  public init(_ log: ForgettableLog, _ survey: ForgettingSurvey) throws(LogError) {
    view = log.view
    environment = log.environment
    state = Mutex(State(head: try view.head(), revisions: survey.eraser.revisions))
  }

  /// The events that were added to the log in memory.
  public var events: [RecordedEvent] { state.withLock { $0.events } }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    state.withLock { state in
      commits.map { commit in
        Result { () throws(LogError) in
          switch try CommitPlan.make(commit, &state, environment) {
          case .done(let appended): return appended
          case .note: return .noted
          case .append(let events):
            for event in events {
              state.events.append(event)
              state.revisions[event.stream] = event.rev
              state.head = LogHead(seq: event.seq, time: event.time, sum: state.head.sum)
            }
            return Appended(first: events[0].seq, last: state.head.seq)
          }
        }
      }
    }
  }

  public func head() async -> UInt64 { state.withLock { $0.head.seq } }

  public func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    try view.page(after: position, count: limit)
  }

  public func read(
    stream: String, after revision: UInt64
  ) async throws(LogError) -> [RecordedEvent] {
    try await ReadOnlyLog(view).read(stream: stream, after: revision)
  }

  public func history() async -> LogView { view }
}
