extension ByteBuffer {
  /// Appends an event as one sealed line in canonical form, with its line feed; returns the line's
  /// checksum.
  /// - Parameter previous: The previous line's checksum; 0 for the first line.
  package mutating func appendLine(_ event: RecordedEvent, after previous: UInt64) -> UInt64 {
    let start = count
    appendEnvelope(event)
    append(Envelope.data)
    append(event.data)
    append(event.extra)
    if let correlation = event.correlation {
      append(Envelope.correlation)
      append(correlation.text)
      append(UInt8(ascii: "\""))
    }
    let sum = withBytes { XXH64.hash($0.baseAddress! + start, $0.count - start, seed: previous) }
    append(Envelope.sum)
    appendHex(sum)
    append(Envelope.end)
    append(UInt8(ascii: "\n"))
    return sum
  }

  /// Appends the line's fields before `data`.
  private mutating func appendEnvelope(_ event: RecordedEvent) {
    append(Envelope.seq)
    append(event.seq)
    append(Envelope.time)
    event.time.append(to: &self)
    append(Envelope.type)
    JSONString.appendContent(event.type, to: &self)
    append(Envelope.version)
    if event.version < 0 { append(UInt8(ascii: "-")) }
    append(UInt64(event.version.magnitude))
    append(Envelope.stream)
    JSONString.appendContent(event.stream, to: &self)
    append(Envelope.rev)
    append(event.rev)
    append(Envelope.actor)
    JSONString.appendContent(event.actor, to: &self)
    append(Envelope.id)
    event.id.append(to: &self)
    if let cause = event.cause {
      append(Envelope.cause)
      cause.append(to: &self)
    }
    if let batch = event.batch {
      append(Envelope.batch)
      append(UInt64(batch.index))
      append("/")
      append(UInt64(batch.count))
    }
  }
}

extension RecordedEvent {
  /// Returns the event's line as a log contains it, without its line feed.
  /// - Parameter previous: The previous line's checksum; 0 for the first line.
  public func line(after previous: UInt64) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 512)
    _ = buffer.appendLine(self, after: previous)
    buffer.truncate(to: buffer.count - 1)
    return buffer.array
  }
}
