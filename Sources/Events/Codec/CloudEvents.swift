extension RecordedEvent {
  /// Returns the event in the JSON format of CloudEvents 1.0.
  ///
  /// ```swift
  /// let event = await log.read(after: 0, limit: 1)[0]
  /// let text = String(decoding: event.cloudEvent(source: "/climbr"), as: UTF8.self)
  /// text.contains(#""type":"ProfileCreated""#)  // true
  /// ```
  /// The attribute `subject` is the stream's name, and `sequence` is the event's position in the
  /// log. `schemaversion`, `revision`, `actor`, `causationid`, `correlationid` and `batch` are
  /// extension attributes.
  /// - Parameter source: A URI reference that identifies the log to the receivers of the event.
  public func cloudEvent(source: String) -> [UInt8] {
    var out = ByteBuffer(capacity: 512)
    func member(_ name: StaticString, _ text: String) {
      out.append(",\"")
      out.append(name)
      out.append("\":")
      out.appendJSON(text)
    }
    out.append("{\"specversion\":\"1.0\",\"id\":")
    out.appendJSON("\(id)")
    member("source", source)
    member("type", type)
    member("time", "\(time)")
    member("subject", stream)
    member("datacontenttype", "application/json")
    member("sequence", "\(seq)")
    member("sequencetype", "Integer")
    out.append(",\"schemaversion\":\(version),\"revision\":\(rev)")
    member("actor", actor)
    if let cause { member("causationid", "\(cause)") }
    if let correlation { member("correlationid", correlation.text) }
    if let batch { member("batch", "\(batch.index)/\(batch.count)") }
    out.append(",\"data\":")
    out.append(data)
    out.append("}")
    return out.array
  }
}
