import EventLog
import Events

/// A history of a small society: events, with their actors and times.
///
/// ```swift
/// let history = t.draw(.history(max: 50))
/// let core = try await Core(history.log())
/// ```
public struct GeneratedHistory: Sendable, CustomStringConvertible {
  /// One event of it.
  public struct Entry: Equatable, Sendable {
    public var event: Event
    public var actor: UserID
    public var time: Timestamp

    public init(event: Event, actor: UserID, time: Timestamp) {
      self.event = event
      self.actor = actor
      self.time = time
    }
  }

  /// The table that interned the ids of its events.
  public var names: Names
  public var entries: [Entry]

  public init(names: Names = Names(), entries: [Entry] = []) {
    self.names = names
    self.entries = entries
  }

  public var count: Int { entries.count }

  /// The history of the first `count` events, as a log cut at that revision.
  public func prefix(_ count: Int) -> GeneratedHistory {
    GeneratedHistory(names: names, entries: Array(entries.prefix(count)))
  }

  /// The events, to be appended.
  public var newEvents: [NewEvent] {
    entries.map { NewEvent($0.event, actor: names[$0.actor], time: $0.time, names: names) }
  }

  /// The history as a log in memory, each event a commit.
  /// - Throws: `LogError`, if the store refuses it.
  public func log(_ environment: RuntimeEnvironment = .system) async throws -> InMemoryLog {
    let log = InMemoryLog(environment)
    for result in await log.append(newEvents.map { Commit([$0]) }) { _ = try result.get() }
    return log
  }

  /// The history as an unsealed log, which `eventlog` opens: one event per line.
  public var lines: String { newEvents.map { $0.unsealedLine + "\n" }.joined() }

  public var description: String {
    var lines = ["\(count) events"]
    for (number, event) in newEvents.enumerated() {
      lines.append(
        "    \(number + 1). \(event.type) \(String(decoding: event.data, as: UTF8.self))")
    }
    return lines.joined(separator: "\n")
  }
}
