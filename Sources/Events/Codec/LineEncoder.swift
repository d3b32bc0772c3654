extension ByteBuffer {
  /// Appends one sealed line with its line feed, canonically.
  /// - Parameter previous: the sum of the line before; 0 for the first.
  /// - Returns: the line's sum.
  mutating func appendLine(_ event: RecordedEvent, after previous: UInt64) -> UInt64 {
    let start = count
    appendHead(event)
    append(",\"data\":")
    append(event.data)
    append(event.extra)
    let sum = withBytes { XXH64.hash($0.baseAddress! + start, $0.count - start, seed: previous) }
    append(",\"sum\":\"")
    appendHex(sum)
    append("\"}\n")
    return sum
  }

  private mutating func appendHead(_ event: RecordedEvent) {
    append("{\"seq\":")
    append(event.seq)
    append(",\"time\":\"")
    event.time.append(to: &self)
    append("\",\"type\":")
    JSONString.append(event.type, to: &self)
    append(",\"v\":")
    if event.version < 0 { append(UInt8(ascii: "-")) }
    append(UInt64(event.version.magnitude))
    append(",\"stream\":")
    JSONString.append(event.stream, to: &self)
    append(",\"rev\":")
    append(event.rev)
    append(",\"actor\":")
    JSONString.append(event.actor, to: &self)
    append(",\"id\":\"")
    event.id.append(to: &self)
    append("\"")
    if let cause = event.cause {
      append(",\"cause\":\"")
      cause.append(to: &self)
      append("\"")
    }
    if let batch = event.batch {
      append(",\"batch\":\"")
      append(UInt64(batch.index))
      append("/")
      append(UInt64(batch.count))
      append("\"")
    }
  }
}

extension RecordedEvent {
  /// The line as it stands in the log, without its line feed.
  public func line(after previous: UInt64) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 512)
    _ = buffer.appendLine(self, after: previous)
    buffer.truncate(to: buffer.count - 1)
    return buffer.array
  }
}
