/// An event as one line of a log records it: all fields of the line, with the data as JSON text.
///
/// The event may be of any type, even of an unknown one. Stores read and write such events. `Event`
/// is the typed form of `type` and `data`.
public struct RecordedEvent: Equatable, Sendable {
  /// The event's position in the log: 1, 2, 3 …
  public var seq: UInt64
  /// The time at which the event was recorded. It is never before the previous event's time.
  public var time: Timestamp
  /// The name of the event's type, such as `UserFollowed`.
  public var type: String
  /// The schema version of the event's data.
  public var version: Int
  /// The name of the event's stream.
  public var stream: String
  /// The event's stream revision, its number in the stream: 1, 2, 3 …
  public var rev: UInt64
  /// The id of the user or service that caused the event.
  public var actor: String
  /// The event's id.
  public var id: EventID
  /// The id of the earlier event that led to this event.
  public var cause: EventID?
  /// The event's place in its commit; nil if the commit has only this event.
  public var batch: Batch?
  /// The value of the line's `data` field, as JSON text.
  public var data: [UInt8]
  /// The line's unknown fields, as written: `,"name":value` for each; empty if there are none.
  public var extra: [UInt8] = []
  /// The id of the request that appended the event; nil if none was recorded.
  public var correlation: CorrelationID?
  /// The checksum at the end of the line; its seed is the previous line's checksum.
  public var sum: UInt64

  package init(
    seq: UInt64, time: Timestamp, type: String, version: Int, stream: String, rev: UInt64,
    actor: String, id: EventID, cause: EventID? = nil, batch: Batch? = nil, data: [UInt8],
    extra: [UInt8] = [], correlation: CorrelationID? = nil, sum: UInt64
  ) {
    (self.seq, self.time, self.type, self.version) = (seq, time, type, version)
    (self.stream, self.rev, self.actor) = (stream, rev, actor)
    (self.id, self.cause, self.batch) = (id, cause, batch)
    (self.data, self.extra, self.correlation, self.sum) = (data, extra, correlation, sum)
  }
}

/// The place of an event in a commit of several events. The text `2/3` in a line means the second
/// of three events.
public struct Batch: Equatable, Sendable {
  /// The event's place among the commit's events: 1…count.
  public var index: Int
  /// The number of events in the commit: 2 or more.
  public var count: Int

  /// Creates the place of an event in a commit.
  public init(index: Int, count: Int) {
    (self.index, self.count) = (index, count)
  }

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count >= 2, (1...count).contains(index), "\(index)/\(count)" == text
    else { return nil }
    self.init(index: index, count: count)
  }
}

/// An event to append to a log. The store adds the event's position, stream revision and checksum.
///
/// The public initializers take a typed event or check a line. So for types of the core, the data
/// and the stream are always valid.
public struct NewEvent: Equatable, Sendable {
  /// The name of the event's type, such as `UserFollowed`.
  public package(set) var type: String
  /// The schema version of the event's data.
  public package(set) var version: Int
  /// The name of the event's stream.
  public package(set) var stream: String
  /// The id of the user or service that causes the event.
  public var actor: String
  /// The event's id; if it is nil, the store creates one. Set it so that a repeated append adds
  /// nothing.
  public var id: EventID?
  /// The id of the earlier event that led to this event.
  public var cause: EventID?
  /// The event's data, as a JSON object in canonical form.
  public package(set) var data: [UInt8]
  /// Further fields of the line that this code does not know, in the form of `RecordedEvent.extra`.
  public package(set) var extra: [UInt8] = []
  /// The id of the request that appends the event. A repeated append may have another one.
  public var correlation: CorrelationID?
  /// The time of an imported event. If it is nil, the store takes the current time of its clock.
  public var time: Timestamp?
  /// Whether an import computed the id from a line without `v`, and assumed the present version.
  /// An event of version 1 with this id is then the same line: earlier releases assumed 1.
  package var mayRepeatVersion1 = false

  /// Creates an event to append from a typed event. `names` is the table that contains the event's
  /// ids.
  public init(
    _ event: Event, actor: String, id: EventID? = nil, cause: EventID? = nil,
    time: Timestamp? = nil, names: borrowing Names
  ) {
    self.init(
      type: event.typeName, version: event.version,
      stream: event.streamName(names), actor: actor, data: event.data(names))
    (self.id, self.cause, self.time) = (id, cause, time)
  }

  /// Creates an event that copies a recorded event to another log. Its data and schema version stay
  /// unchanged.
  package init(_ recorded: RecordedEvent) {
    self.init(
      type: recorded.type, version: recorded.version, stream: recorded.stream,
      actor: recorded.actor, data: recorded.data)
    (id, cause, time, extra) = (recorded.id, recorded.cause, recorded.time, recorded.extra)
    correlation = recorded.correlation
  }

  init(type: String, version: Int, stream: String, actor: String, data: [UInt8]) {
    (self.type, self.version, self.stream, self.actor) = (type, version, stream, actor)
    self.data = data
  }
}

extension NewEvent {
  /// Reads an event to append from a JSON line in the log's format.
  ///
  /// Only the fields `type`, `actor` and `data` are required. An app's own type also requires
  /// `stream`. Other unknown types are refused.
  /// - Throws: `LogError.invalidEvent` if the line is not a valid event.
  public init(line: [UInt8]) throws(LogError) {
    var parser = LineParser()
    var names = Names()
    do throws(LineFault) {
      let (parsed, event) = try parser.parse(line, names: &names)
      guard let event else {
        try self.init(app: parsed)
        return
      }
      self.init(
        event, actor: parsed.actor, id: parsed.id, cause: parsed.cause, time: parsed.time,
        names: names)
    } catch {
      throw .invalidEvent(error)
    }
  }

  private init(app line: ParsedLine) throws(LineFault) {
    guard UnknownType.isOfApp(line.type) else {
      throw LineFault(.unknownType(line.type), path: "type")
    }
    guard let stream = line.stream else { throw LineFault(.missingMember, path: "stream") }
    self.init(line, stream: stream)
  }

  /// Creates an event to append from a parsed line. `stream` is a parameter, because an unsealed
  /// line may omit its stream.
  package init(_ line: ParsedLine, stream: String) {
    self.init(
      type: line.type, version: line.version ?? 1, stream: stream, actor: line.actor,
      data: line.data)
    (id, cause, time, extra) = (line.id, line.cause, line.time, line.extra)
    correlation = line.correlation
  }
}
