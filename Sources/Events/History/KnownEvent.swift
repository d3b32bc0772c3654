/// An event of a known type with what its line says of it: where, when, by whom and why.
public struct KnownEvent: Equatable, Sendable {
  public var event: Event
  public var moment: Moment
  public var actor: UserID
  public var id: EventID
  /// The event that led to this one.
  public var cause: EventID?
}

extension History {
  /// Calls `body` with the events at some positions, which have to ascend; what is beyond the head
  /// or of an unknown type is left out.
  /// - Throws: `.damaged` where one of the lines is not what was written.
  /// - Complexity: that of `forEachRawLine(at:)`, and about a microsecond an event.
  public func forEachEvent(
    at positions: some Sequence<UInt64>, _ names: inout Names,
    _ body: (KnownEvent) throws(LogError) -> Void
  ) throws(LogError) {
    var parser = LineParser()
    try forEachRawLine(at: positions) { (line) throws(LogError) in
      if let found = line.event(&parser, &names), found.moment.seq == line.position {
        return try body(found)
      }
      // Damage is told by the reader that knows how.
      if let strict = try self.line(at: line.position),
        EventType(wireName: strict.event.type) != nil, strict.event.version == 1
      {
        throw line.damage(LineFault(.wrongSum))
      }
    }
  }
}

extension RawLine {
  /// The event of the line, if it is what was written and of a known type.
  fileprivate func event(_ parser: inout LineParser, _ names: inout Names) -> KnownEvent? {
    guard rightSum(bytes, after: previousSum) != nil else { return nil }
    if let known = LineParser.known(bytes, &names) { return known }
    guard let (parsed, event) = try? parser.parse(bytes, names: &names), let event,
      let actor = try? names.user(parsed.actor), let seq = parsed.seq, let time = parsed.time,
      let id = parsed.id
    else { return nil }
    return KnownEvent(
      event: event, moment: Moment(seq: seq, time: time), actor: actor, id: id,
      cause: parsed.cause)
  }
}
