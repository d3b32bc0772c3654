/// One whole line of a log: the envelope, and the data as it is written.
///
/// It can hold events of every type, including unknown ones; stores read and write these. The typed
/// form of `type` and `data` is `Event`.
public struct RecordedEvent: Equatable, Sendable {
  /// Position in the log: 1, 2, 3 …
  public var seq: UInt64
  /// When it was recorded; never before the event it follows.
  public var time: Timestamp
  /// The wire name and schema version.
  public var type: String
  public var version: Int
  /// The stream's name, and the position in it: 1, 2, 3 …
  public var stream: String
  public var rev: UInt64
  /// Who acted.
  public var actor: String
  public var id: EventID
  /// The event that led to this one.
  public var cause: EventID?
  /// The place in a commit of several events.
  public var batch: Batch?
  /// The `data` member: JSON text.
  public var data: [UInt8]
  /// Unknown members of the envelope, verbatim: empty, or `,"name":value` once or more.
  public var extra: [UInt8] = []
  /// The chained sum at the end of the line.
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

/// The place of an event in a commit of several: `2/3` on the wire.
public struct Batch: Equatable, Sendable {
  /// 1…count.
  public var index: Int
  /// 2 or more.
  public var count: Int

  public init(index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count >= 2, (1...count).contains(index), "\(index)/\(count)" == text
    else { return nil }
    self.init(index: index, count: count)
  }
}

/// An event to append, as its author decides it. The store adds position, revision and sum.
///
/// Made of a typed event, so that its data and its stream always fit its type.
public struct NewEvent: Equatable, Sendable {
  public package(set) var type: String
  public package(set) var version: Int
  public package(set) var stream: String
  public var actor: String
  /// Set it to be able to retry the append safely; otherwise the store makes one.
  public var id: EventID?
  public var cause: EventID?
  /// Canonical JSON of an object.
  public package(set) var data: [UInt8]
  /// Unknown members of the envelope, as in `RecordedEvent`.
  public package(set) var extra: [UInt8] = []
  /// When it happened, for imported histories; nil means now, by the store's clock.
  public var time: Timestamp?

  /// - Parameters:
  ///   - names: the table that gave the event its ids.
  public init(
    _ event: Event, actor: String, id: EventID? = nil, cause: EventID? = nil,
    time: Timestamp? = nil, names: borrowing Names
  ) {
    self.init(
      type: event.typeName, version: event.version,
      stream: event.streamName(names), actor: actor, data: event.data(names))
    self.id = id
    self.cause = cause
    self.time = time
  }

  /// An event that a log has recorded, to be appended to another: data and version stay as they
  /// are.
  package init(_ recorded: RecordedEvent) {
    self.init(
      type: recorded.type, version: recorded.version, stream: recorded.stream,
      actor: recorded.actor, data: recorded.data)
    (id, cause, time, extra) = (recorded.id, recorded.cause, recorded.time, recorded.extra)
  }

  init(type: String, version: Int, stream: String, actor: String, data: [UInt8]) {
    self.type = type
    self.version = version
    self.stream = stream
    self.actor = actor
    self.data = data
  }
}

extension NewEvent {
  /// Reads an event from a line of a log. Only `type`, `actor` and `data` are required; the type
  /// must be known, or an app's own, which also requires `stream`.
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

  /// The event of a parsed line. The stream is given, since an unsealed line may leave it out.
  package init(_ line: ParsedLine, stream: String) {
    self.init(
      type: line.type, version: line.version ?? 1, stream: stream, actor: line.actor,
      data: line.data)
    (id, cause, time, extra) = (line.id, line.cause, line.time, line.extra)
  }
}
