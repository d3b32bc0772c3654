/// Returns an event's line without the fields that a store adds. It omits `v` if the event's type
/// has only version 1.
package func unsealedLine(
  time: Timestamp? = nil, type: String, version: Int, actor: String, data: [UInt8]
) -> String {
  var out = ByteBuffer()
  out.append("{")
  if let time {
    out.append("\"time\":")
    out.appendJSON("\(time)")
    out.append(",")
  }
  out.append("\"type\":")
  out.appendJSON(type)
  let present = EventType(wireName: type)?.version ?? 1
  if version != 1 || present != 1 { out.append(",\"v\":\(version)") }
  out.append(",\"actor\":")
  out.appendJSON(actor)
  out.append(",\"data\":")
  out.append(data)
  out.append("}")
  return out.text
}

extension NewEvent {
  /// The event's line without the fields that a store adds.
  package var unsealedLine: String {
    Events.unsealedLine(time: time, type: type, version: version, actor: actor, data: data)
  }
}

extension RecordedEvent {
  /// The event's line without the fields that a store adds.
  package var unsealedLine: String {
    Events.unsealedLine(time: time, type: type, version: version, actor: actor, data: data)
  }
}
