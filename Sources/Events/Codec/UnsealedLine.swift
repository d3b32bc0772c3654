/// Returns a line without the members that a store adds. A line without `v` is of version 1.
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
  if version != 1 { out.append(",\"v\":\(version)") }
  out.append(",\"actor\":")
  out.appendJSON(actor)
  out.append(",\"data\":")
  out.append(data)
  out.append("}")
  return out.text
}

extension NewEvent {
  /// The line without a position in a log.
  package var unsealedLine: String {
    Events.unsealedLine(time: time, type: type, version: version, actor: actor, data: data)
  }
}

extension RecordedEvent {
  /// The line without a position in a log.
  package var unsealedLine: String {
    Events.unsealedLine(time: time, type: type, version: version, actor: actor, data: data)
  }
}
