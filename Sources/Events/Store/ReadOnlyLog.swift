/// A log that is only read: the view of it as a store that refuses every append.
///
/// ```swift
/// let core = try await Core(ReadOnlyLog(LogView(path: "eventlogs/demo")))
/// ```
public struct ReadOnlyLog: EventStore {
  private let view: LogView
  /// The position the log is read up to.
  private let last: UInt64

  /// - Parameter position: what comes after it is not seen; nil is the whole log.
  /// - Throws: `.damaged` where the end of the log is.
  public init(_ view: LogView, until position: UInt64? = nil) throws(LogError) {
    self.view = view
    let head = try view.head().seq
    last = min(position ?? head, head)
  }

  public func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    commits.isEmpty ? [] : [.failure(.closed(reason: "the log is open for reading only"))]
  }

  public func head() async -> UInt64 { last }

  public func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    var result: [RecordedEvent] = []
    guard position < last, limit > 0 else { return result }
    try view.forEachEvent(after: position) { event in
      result.append(event)
      return result.count < limit && event.seq < last
    }
    return result
  }

  /// - Complexity: O(the log after `revision` many events).
  public func read(
    stream: String, after revision: UInt64
  ) async throws(LogError) -> [RecordedEvent] {
    var result: [RecordedEvent] = []
    try view.forEachEvent { event in
      if event.stream == stream, event.rev > revision, event.seq <= last { result.append(event) }
      return event.seq < last
    }
    return result
  }

  public func catchUp(
    after position: UInt64, unknown: ChunkConsumer.UnknownPolicy, _ names: inout Names,
    _ body: (borrowing Event, UserID, Moment) -> Void
  ) async throws(LogError) -> Moment? {
    guard position < last else { return nil }
    return try view.forEachTypedEvent(after: position, until: last, &names, unknown: unknown, body)
  }
}
