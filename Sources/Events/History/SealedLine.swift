/// One line of a log: the parsed envelope and the bytes, without the line feed.
public struct SealedLine: Equatable, Sendable {
  public var event: RecordedEvent
  public var bytes: [UInt8]
  /// The sum that the line before it records; 0 for the first.
  public var previousSum: UInt64

  /// The line of an event to append: computes its sum and encodes it.
  /// - Parameter previous: the sum of the line before; 0 for the first.
  public init(sealing event: RecordedEvent, after previous: UInt64) {
    var buffer = ByteBuffer(capacity: 512)
    self.event = event
    self.event.sum = buffer.appendLine(event, after: previous)
    buffer.truncate(to: buffer.count - 1)
    bytes = buffer.array
    previousSum = previous
  }

  /// A line as it was written, without its line feed.
  /// - Parameter previous: the sum that the line before it records.
  /// - Throws: what the strict parser finds wrong with it, or that it does not follow that line.
  public init(_ bytes: [UInt8], after previous: UInt64) throws(LineFault) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      try SealedLine(bytes, after: previous)
    }
  }

  package init(_ bytes: UnsafeBufferPointer<UInt8>, after previous: UInt64?) throws(LineFault) {
    var parser = LineParser()
    var names = Names()
    let parsed = try parser.parse(bytes, names: &names).line
    guard let event = RecordedEvent(parsed) else { throw parsed.missing }
    guard let previous, rightSum(bytes, after: previous) == event.sum else {
      throw LineFault(.wrongSum)
    }
    self.init(event: event, bytes: Array(bytes), previousSum: previous)
  }

  package init(event: RecordedEvent, bytes: [UInt8], previousSum: UInt64) {
    self.event = event
    self.bytes = bytes
    self.previousSum = previousSum
  }
}

extension RecordedEvent {
  /// The event of a sealed line; nil if a member that every sealed line has is missing.
  package init?(_ line: ParsedLine) {
    guard let seq = line.seq, let time = line.time, let version = line.version,
      let stream = line.stream, let rev = line.rev, let id = line.id, let sum = line.sum
    else { return nil }
    self.init(
      seq: seq, time: time, type: line.type, version: version, stream: stream, rev: rev,
      actor: line.actor, id: id, cause: line.cause, batch: line.batch, data: line.data,
      extra: line.extra, sum: sum)
  }
}

extension ParsedLine {
  /// The fault that names the first member missing from this line that a sealed line must have.
  package var missing: LineFault {
    let members: [(String, Bool)] = [
      ("seq", seq != nil), ("time", time != nil), ("v", version != nil),
      ("stream", stream != nil), ("rev", rev != nil), ("id", id != nil),
    ]
    return LineFault(.missingMember, path: members.first { !$0.1 }?.0 ?? "sum")
  }
}
