import Events
import Synchronization

/// A log opened for reading. It follows the events that another process appends.
///
/// ```swift
/// let core = try await Core(ReadOnlyLog(LogView(path: "eventlogs/demo")))
/// ```
/// Every call opens the folder again, so it sees the events that were appended meanwhile. A reader
/// sees only whole commits. `changes` yields when there may be new events.
/// - Complexity: each call lists the folder, calls `stat` for each segment, and reads the last
///   lines.
public final class ReadOnlyLog: EventStore {
  private struct State {
    var view: LogView
    /// The log's last event at the latest call. A later call fails if the log has lost this event.
    var seen: LogHead
  }

  private let state: Mutex<State>
  private let path: String
  /// The file system; nil if calls need not open the folder again, because the events are in memory
  /// or the log is shown up to a fixed position.
  private let files: FileSystem?

  /// Creates a log for reading from a view.
  /// - Parameter position: the position of the last event to show; nil shows the whole log and
  ///   later events.
  /// - Throws: `.damaged` if the end of the log is damaged.
  public init(_ view: LogView, until position: UInt64? = nil) throws(LogError) {
    path = view.path
    if position == nil, case .files(let files, _) = view.source {
      self.files = files
    } else {
      files = nil
    }
    let view =
      try position.map { (last) throws(LogError) in try view.prefix(through: last) } ?? view
    state = Mutex(State(view: view, seen: try view.head()))
  }

  /// Returns the present view of the log.
  /// - Throws: the errors of opening a log; `.rewritten` if the log was rewritten since it was
  ///   opened; `.notALog` if events that a call has seen are missing or changed.
  private func current() throws(LogError) -> (view: LogView, head: LogHead) {
    try state.withLock { (state) throws(LogError) in
      guard let files else { return (state.view, state.seen) }
      let view = try LogView(path: path, files: files)
      let head = try view.head()
      if state.seen.seq > 0, head.seq != state.seen.seq || head.sum != state.seen.sum {
        guard head.seq > state.seen.seq, try view.head(at: state.seen.seq).sum == state.seen.sum
        else {
          throw state.view.replaced(
            path,
            "event \(state.seen.seq), which was read before, is missing or changed; "
              + "open the log again")
        }
      }
      state = State(view: view, seen: head)
      return (view, head)
    }
  }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    commits.isEmpty ? [] : [.failure(.closed(reason: "the log is open for reading only"))]
  }

  public func head() async throws(LogError) -> UInt64 { try current().head.seq }

  public func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    let (view, head) = try current()
    var result: [RecordedEvent] = []
    guard position < head.seq, limit > 0 else { return result }
    try view.forEachEvent(after: position) { event in
      result.append(event)
      return result.count < limit
    }
    return result
  }

  /// - Complexity: O(log), because it reads every event.
  public func read(
    stream: String, after revision: UInt64
  ) async throws(LogError) -> [RecordedEvent] {
    let view = try current().view
    var result: [RecordedEvent] = []
    try view.forEachEvent { event in
      if event.stream == stream, event.rev > revision { result.append(event) }
      return true
    }
    return result
  }

  public func history() async throws(LogError) -> LogView { try current().view }

  public func changes() -> AsyncStream<Void>? {
    files == nil ? nil : FolderWatch.changes(in: path)
  }
}
