/// One line of a log: the event parsed from the line, and the line's bytes.
public struct SealedLine: Equatable, Sendable {
  /// The event that was parsed from the line.
  public var event: RecordedEvent
  /// The line's bytes, without the line feed.
  public var bytes: [UInt8]
  /// The previous line's checksum; 0 for the first line.
  public var previousSum: UInt64

  /// Encodes an event as a line and computes the line's checksum. `previous` is the previous line's
  /// checksum; 0 for the first line.
  public init(sealing event: RecordedEvent, after previous: UInt64) {
    var buffer = ByteBuffer(capacity: 512)
    self.event = event
    self.event.sum = buffer.appendLine(event, after: previous)
    buffer.truncate(to: buffer.count - 1)
    bytes = buffer.array
    previousSum = previous
  }

  /// Parses a line that a log contains, without its line feed. `previous` is the previous line's
  /// checksum.
  /// - Throws: The strict parser's fault, or `wrongSum` if the checksum is not the line's hash with
  ///   the seed `previous`.
  public init(_ bytes: [UInt8], after previous: UInt64) throws(LineFault) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try SealedLine(bytes, after: previous)
    }
  }

  package init(_ bytes: UnsafeBufferPointer<UInt8>, after previous: UInt64?) throws(LineFault) {
    var parser = LineParser()
    var names = Names()
    let event = try parser.parseSealed(bytes, names: &names).recorded
    guard let previous, rightSum(bytes, after: previous) == event.sum else {
      throw LineFault(.wrongSum)
    }
    self.init(event: event, bytes: Array(bytes), previousSum: previous)
  }

  package init(event: RecordedEvent, bytes: [UInt8], previousSum: UInt64) {
    (self.event, self.bytes, self.previousSum) = (event, bytes, previousSum)
  }
}

extension LineParser {
  /// Parses one line of a log without its line feed; the event is nil if its type is unknown.
  /// - Throws: `LineFault` with the line's first fault; `missingMember` if the line lacks a field
  ///   that every sealed line has.
  package mutating func parseSealed(
    _ line: UnsafeBufferPointer<UInt8>, names: inout Names
  ) throws(LineFault) -> (recorded: RecordedEvent, event: Event?) {
    let (line, event) = try parse(line, names: &names)
    guard let recorded = RecordedEvent(line) else { throw line.missing }
    return (recorded, event)
  }

  package mutating func parseSealed(
    _ line: ArraySlice<UInt8>, names: inout Names
  ) throws(LineFault) -> (recorded: RecordedEvent, event: Event?) {
    try line.withUnsafeBufferPointer { (line) throws(LineFault) in
      try parseSealed(line, names: &names)
    }
  }
}

extension RecordedEvent {
  /// Creates the event of a parsed line; nil if the line lacks a field that every sealed line has.
  package init?(_ line: ParsedLine) {
    guard let seq = line.seq, let time = line.time, let version = line.version,
      let stream = line.stream, let rev = line.rev, let id = line.id, let sum = line.sum
    else { return nil }
    self.init(
      seq: seq, time: time, type: line.type, version: version, stream: stream, rev: rev,
      actor: line.actor, id: id, cause: line.cause, batch: line.batch, data: line.data,
      extra: line.extra, correlation: line.correlation, sum: sum)
  }
}

extension ParsedLine {
  /// A fault that names the first field that a sealed line must have but this line lacks.
  package var missing: LineFault {
    let members: [(String, Bool)] = [
      ("seq", seq != nil), ("time", time != nil), ("v", version != nil),
      ("stream", stream != nil), ("rev", rev != nil), ("id", id != nil),
    ]
    return LineFault(.missingMember, path: members.first { !$0.1 }?.0 ?? "sum")
  }
}
