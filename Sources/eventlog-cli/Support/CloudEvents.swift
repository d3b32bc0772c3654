import Events

/// CloudEvents 1.0, JSON event format: context attributes, our own as extensions, and the data.
func cloudEvent(_ event: RecordedEvent, source: String) -> [UInt8] {
  var out = ByteBuffer(capacity: 512)
  func member(_ name: StaticString, _ text: String) {
    out.append(",\"")
    out.append(name)
    out.append("\":")
    out.appendJSON(text)
  }
  out.append("{\"specversion\":\"1.0\",\"id\":")
  out.appendJSON("\(event.id)")
  member("source", source)
  member("type", event.type)
  member("time", "\(event.time)")
  member("subject", event.stream)
  member("datacontenttype", "application/json")
  member("sequence", "\(event.seq)")
  member("sequencetype", "Integer")
  out.append(",\"schemaversion\":\(event.version),\"revision\":\(event.rev)")
  member("actor", event.actor)
  if let cause = event.cause { member("causationid", "\(cause)") }
  if let batch = event.batch { member("batch", "\(batch.index)/\(batch.count)") }
  out.append(",\"data\":")
  out.append(event.data)
  out.append("}")
  return out.array
}
