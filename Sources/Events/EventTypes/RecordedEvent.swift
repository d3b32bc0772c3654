/// One whole line of a log: the envelope and the data as written.
///
/// It can hold events of any type, including unknown ones; stores read and write it. `Event` is the
/// typed form of `type` and `data`.
public struct RecordedEvent: Equatable, Sendable {
  /// The position in the log: 1, 2, 3 …
  public var seq: UInt64
  /// The time of recording, never before that of the previous event.
  public var time: Timestamp
  /// The wire name.
  public var type: String
  /// The schema version.
  public var version: Int
  /// The stream's name.
  public var stream: String
  /// The position in the stream: 1, 2, 3 …
  public var rev: UInt64
  /// The id of the user or service that acted.
  public var actor: String
  /// The event's id.
  public var id: EventID
  /// The id of the event that led to this one.
  public var cause: EventID?
  /// The place in the commit, if the commit has several events.
  public var batch: Batch?
  /// The `data` field as JSON text.
  public var data: [UInt8]
  /// The envelope's unknown fields, verbatim: empty, or `,"name":value` once or more.
  public var extra: [UInt8] = []
  /// The checksum at the end of the line, seeded with the previous line's.
  public var sum: UInt64

  package init(
    seq: UInt64, time: Timestamp, type: String, version: Int, stream: String, rev: UInt64,
    actor: String, id: EventID, cause: EventID? = nil, batch: Batch? = nil, data: [UInt8],
    extra: [UInt8] = [], sum: UInt64
  ) {
    (self.seq, self.time, self.type, self.version) = (seq, time, type, version)
    (self.stream, self.rev, self.actor) = (stream, rev, actor)
    (self.id, self.cause, self.batch) = (id, cause, batch)
    (self.data, self.extra, self.sum) = (data, extra, sum)
  }
}

/// The place of an event in a commit of several events: `2/3` on the wire.
public struct Batch: Equatable, Sendable {
  /// The event's place: 1…count.
  public var index: Int
  /// The number of events: 2 or more.
  public var count: Int

  /// Creates a place.
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

/// An event to append; the store adds position, revision and checksum.
///
/// It is created from a typed event, so its data and stream always fit its type.
public struct NewEvent: Equatable, Sendable {
  /// The wire name.
  public package(set) var type: String
  /// The schema version.
  public package(set) var version: Int
  /// The stream's name.
  public package(set) var stream: String
  /// The id of the user or service that acts.
  public var actor: String
  /// The event's id; set it to retry the append safely. If it is nil, the store creates one.
  public var id: EventID?
  /// The id of the event that led to this one.
  public var cause: EventID?
  /// The data: a JSON object in canonical form.
  public package(set) var data: [UInt8]
  /// The envelope's unknown fields, as in `RecordedEvent`.
  public package(set) var extra: [UInt8] = []
  /// The time of an imported event; nil means now, by the store's clock.
  public var time: Timestamp?

  /// Creates an event to append from a typed event; `names` maps its ids to their texts.
  public init(
    _ event: Event, actor: String, id: EventID? = nil, cause: EventID? = nil,
    time: Timestamp? = nil, names: borrowing Names
  ) {
    self.init(
      type: event.typeName, version: event.version,
      stream: event.streamName(names), actor: actor, data: event.data(names))
    (self.id, self.cause, self.time) = (id, cause, time)
  }

  /// Creates an event that copies a recorded one to another log; data and version stay unchanged.
  package init(_ recorded: RecordedEvent) {
    self.init(
      type: recorded.type, version: recorded.version, stream: recorded.stream,
      actor: recorded.actor, data: recorded.data)
    (id, cause, time, extra) = (recorded.id, recorded.cause, recorded.time, recorded.extra)
  }

  init(type: String, version: Int, stream: String, actor: String, data: [UInt8]) {
    (self.type, self.version, self.stream, self.actor) = (type, version, stream, actor)
    self.data = data
  }
}

extension NewEvent {
  /// Reads an event from a line of a log. Only `type`, `actor` and `data` are required; an app's
  /// own type also requires `stream`. Other unknown types are refused.
  /// - Throws: `LogError.invalidEvent`.
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

  /// Creates an event from a parsed line; `stream` is passed because an unsealed line may omit it.
  package init(_ line: ParsedLine, stream: String) {
    self.init(
      type: line.type, version: line.version ?? 1, stream: stream, actor: line.actor,
      data: line.data)
    (id, cause, time, extra) = (line.id, line.cause, line.time, line.extra)
  }
}
