extension RecordedEvent {
  /// The event of a sealed line; nil if a member that every sealed line has is missing.
  init?(_ line: ParsedLine) {
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
  /// The first member that a sealed line must have and this one has not.
  var missing: LineFault {
    let members: [(String, Bool)] = [
      ("seq", seq != nil), ("time", time != nil), ("v", version != nil),
      ("stream", stream != nil), ("rev", rev != nil), ("id", id != nil),
    ]
    return LineFault(.missingMember, path: members.first { !$0.1 }?.0 ?? "sum")
  }
}
