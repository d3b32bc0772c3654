import EventLog
import Events

/// A history of a few users: events with their actors and times.
///
/// ```swift
/// let history = t.draw(.history(max: 50))
/// let core = try await Core(history.log())
/// ```
public struct GeneratedHistory: Sendable, CustomStringConvertible {
  /// One event of a history.
  public struct Entry: Equatable, Sendable {
    /// The event.
    public var event: Event
    /// The user who caused the event.
    public var actor: UserID
    /// The time at which the event was recorded.
    public var time: Timestamp

    /// Creates an entry.
    public init(event: Event, actor: UserID, time: Timestamp) {
      (self.event, self.actor, self.time) = (event, actor, time)
    }
  }

  /// The table of the ids in the events.
  public var names: Names
  /// The events in the order in which they were recorded.
  public var entries: [Entry]

  /// Creates a history. By default it is empty.
  public init(names: Names = Names(), entries: [Entry] = []) {
    (self.names, self.entries) = (names, entries)
  }

  /// The number of events.
  public var count: Int { entries.count }

  /// Returns the history of the first `count` events.
  public func prefix(_ count: Int) -> GeneratedHistory {
    GeneratedHistory(names: names, entries: Array(entries.prefix(count)))
  }

  /// The events in the form that a log's `append` expects.
  public var newEvents: [NewEvent] {
    entries.map { NewEvent($0.event, actor: names[$0.actor], time: $0.time, names: names) }
  }

  /// Returns the history as a log in memory, with one commit per event.
  /// - Throws: `LogError` if the store refuses an event.
  public func log(_ environment: RuntimeEnvironment = .system) async throws -> InMemoryLog {
    let log = InMemoryLog(environment)
    for result in await log.append(newEvents.map { Commit([$0]) }) { _ = try result.get() }
    return log
  }

  /// The history as the text of a log that `eventlog` can open: one event per line, no checksums.
  public var lines: String { newEvents.map { $0.unsealedLine + "\n" }.joined() }

  /// The number of events, and a line with each event's number, type and data.
  public var description: String { description(marks: [], "") }

  /// Returns the description, with a comment on some events.
  /// - Parameters:
  ///   - marks: for each event, a comment or nil.
  ///   - note: a text for the end of the first line.
  func description(marks: [String?], _ note: String) -> String {
    var lines = ["\(count) events\(note)"]
    for (number, event) in newEvents.enumerated() {
      let mark = number < marks.count ? marks[number].map { "   // \($0)" } : nil
      lines.append(
        "    \(number + 1). \(event.type) \(String(decoding: event.data, as: UTF8.self))"
          + (mark ?? ""))
    }
    return lines.joined(separator: "\n")
  }
}

extension Trial {
  /// Labels a run with the features of a history, for `check(covering:)`.
  ///
  /// The labels are:
  /// - the number of events: `events: 0`, `events: 1-4`, `5-9`, `10-19`, `20-49`, `50-99` …;
  /// - the most followers of a user at any time: `most followers: 0`, `1` …;
  /// - `unfollowed`, `followed again`, `ex-friends`, `asked again` (a request to a former friend);
  /// - `account deleted`, `workout removed`, `comment removed`;
  /// - `event at the deleted`: an event about a deleted or removed thing;
  /// - `burst`: five events in a row, each at most a second after the previous one;
  /// - `pause`: a day or more without an event.
  /// - Complexity: O(events), plus O(users) for each deleted account.
  public func label(_ history: GeneratedHistory) {
    var likeness = Likeness()
    for entry in history.entries { likeness.apply(entry) }
    for name in likeness.labels(count: history.count) { label(name) }
  }
}

/// The features of a history, which become a run's labels.
private struct Likeness {
  private var seen: Set<String> = []
  private var followers: [UserID: Set<UserID>] = [:]
  private var most = 0
  private var unfollowed: Set<[UserID]> = []
  private var parted: Set<Set<UserID>> = []
  /// The deleted or removed users and things.
  private var gone: Set<AnyID> = []
  private var time: Timestamp?
  private var quick = 0

  mutating func apply(_ entry: GeneratedHistory.Entry) {
    if !gone.isDisjoint(with: entry.event.ids) { seen.insert("event at the deleted") }
    let pause = time.map { entry.time.milliseconds - $0.milliseconds } ?? .max
    quick = pause <= 1_000 ? quick + 1 : 1
    if quick == 5 { seen.insert("burst") }
    if time != nil, pause >= 86_400_000 { seen.insert("pause") }
    time = entry.time
    apply(entry.event)
  }

  private mutating func apply(_ event: Event) {
    switch event {
    case .follow(.followed(let edge)):
      if unfollowed.contains([edge.follower, edge.followee]) { seen.insert("followed again") }
      followers[edge.followee, default: []].insert(edge.follower)
      most = max(most, followers[edge.followee]?.count ?? 0)
    case .follow(.unfollowed(let edge)):
      if followers[edge.followee]?.remove(edge.follower) != nil {
        unfollowed.insert([edge.follower, edge.followee])
        seen.insert("unfollowed")
      }
    case .friendship(.requested(let request)):
      if parted.contains([request.sender, request.receiver]) { seen.insert("asked again") }
    case .friendship(.removed(let data)):
      parted.insert([data.user, data.friend])
      seen.insert("ex-friends")
    case .accountDeleted(let data):
      gone.insert(AnyID(data.user))
      followers[data.user] = nil
      for followee in Array(followers.keys) { followers[followee]?.remove(data.user) }
      seen.insert("account deleted")
    case .workout(.removed(let data)):
      gone.insert(AnyID(data.workout))
      seen.insert("workout removed")
    case .comment(.removed(let data)):
      gone.insert(AnyID(data.comment))
      seen.insert("comment removed")
    default: break
    }
  }

  func labels(count: Int) -> Set<String> {
    let bounds = [0, 1, 5, 10, 20, 50] + (2...17).map { (1 << $0) * 25 }
    let least = bounds.last { $0 <= count } ?? 0
    let next = bounds.first { $0 > count }
    let size = next.map { $0 == least + 1 ? "\(least)" : "\(least)-\($0 - 1)" } ?? "\(least)-"
    return seen.union(["events: \(size)", "most followers: \(most)"])
  }
}
