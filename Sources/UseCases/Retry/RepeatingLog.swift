import EventLog
import Events

/// A log as it was after a position. `append` accepts only the events that follow in the real log.
///
/// A core on such a log repeats the decision of an earlier command, and so returns the same answer.
struct RepeatingLog: EventStore {
  private let past: ReadOnlyLog
  private let view: LogView
  private let position: UInt64

  /// Creates the log as it was after the event at `position`.
  /// - Throws: `.closed` if the log's last event is before the position.
  init(_ view: LogView, after position: UInt64) throws(LogError) {
    guard try view.head().seq >= position else {
      throw .closed(reason: "the log does not have event \(position) yet")
    }
    past = try ReadOnlyLog(view, until: position)
    (self.view, self.position) = (view, position)
  }

  func append(_ commits: [Commit]) async -> [Result<Appended, LogError>] {
    commits.prefix(1).map { commit in
      Result { () throws(LogError) in try appended(commit) }
    }
  }

  /// Returns the positions of a commit whose events the log already has.
  /// - Throws: `.idTaken` if an event of the commit differs from the log's event at the same
  ///   position.
  private func appended(_ commit: Commit) throws(LogError) -> Appended {
    var seq = position
    for event in commit.events {
      seq += 1
      guard let old = try view.line(at: seq)?.event, old.id == event.id, old.type == event.type,
        old.version == event.version, old.stream == event.stream, old.actor == event.actor,
        old.cause == event.cause, old.data == event.data
      else { throw .idTaken(event.id ?? EventID(high: 0, low: 0), seq: seq) }
    }
    return Appended(first: position + 1, last: seq, isRepeat: true)
  }

  /// Returns nil for every retry key. So the core decides a command again although the command's
  /// key was used.
  func uses(of tails: [UInt64]) async -> [KeyUse?] { tails.map { _ in nil } }

  func head() async -> UInt64 { position }
  func read(after position: UInt64, limit: Int) async throws(LogError) -> [RecordedEvent] {
    try await past.read(after: position, limit: limit)
  }
  func read(stream: String, after revision: UInt64) async throws(LogError) -> [RecordedEvent] {
    try await past.read(stream: stream, after: revision)
  }
  func history() async throws(LogError) -> LogView { try await past.history() }
}
