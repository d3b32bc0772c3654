import Synchronization

/// A log to which what is appended is judged and kept in memory, and never written: events that a
/// rewriting adds.
///
/// A core on it decides as on the log itself.
public final class DraftLog: EventStore {
  private let state: Mutex<WriterState>
  private let environment: RuntimeEnvironment
  /// The log as it is in the folder.
  public let view: LogView

  /// - Throws: what reading the log throws.
  public init(_ log: ForgettableLog) throws(LogError) {
    view = log.view
    environment = log.environment
    state = Mutex(try WriterState(view, segmentSize: .max))
  }

  /// What was appended.
  public var events: [RecordedEvent] { state.withLock { $0.planned.map(\.event) } }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    state.withLock { $0.plan(commits, environment).results }
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
