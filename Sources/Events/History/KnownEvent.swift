/// An event whose type this code knows, with its position, time, actor, id and cause.
public struct KnownEvent: Equatable, Sendable {
  /// The typed event.
  public var event: Event
  /// The position and the time of the event.
  public var moment: Moment
  /// The dense number of the event's actor, a user or a service, in the table of user ids.
  public var actor: UserID
  /// The event's id.
  public var id: EventID
  /// The id of the earlier event that led to this event.
  public var cause: EventID?
}

extension History {
  /// Calls `body` with the event at each of the positions, which are in ascending order. Skips
  /// positions after the last event, and events of unknown types.
  /// - Throws: `.damaged` if one of the lines is not as it was written.
  /// - Complexity: That of `forEachRawLine(at:)`, plus about a microsecond for each event.
  public func forEachEvent(
    at positions: some Sequence<UInt64>, _ names: inout Names,
    _ body: (KnownEvent) throws(LogError) -> Void
  ) throws(LogError) {
    var parser = LineParser()
    try forEachRawLine(at: positions) { (line) throws(LogError) in
      if let found = line.event(&parser, &names), found.moment.seq == line.position {
        return try body(found)
      }
      // `line(at:)` reads the line strictly and throws the damage if there is one.
      if let strict = try self.line(at: line.position),
        let type = EventType(wireName: strict.event.type),
        Upcaster.reads(type, strict.event.version)
      {
        throw line.damage(LineFault(.wrongSum))
      }
    }
  }
}

extension RawLine {
  /// Returns the line's event; nil if the line's checksum is wrong or the event's type is unknown.
  fileprivate func event(_ parser: inout LineParser, _ names: inout Names) -> KnownEvent? {
    guard rightSum(bytes, after: previousSum) != nil else { return nil }
    if let known = LineParser.known(bytes, &names) { return known }
    guard let (parsed, known) = try? parser.parse(bytes, names: &names),
      let event = known ?? (try? Event(app: parsed, &names)),
      let actor = try? names.user(parsed.actor), let seq = parsed.seq, let time = parsed.time,
      let id = parsed.id
    else { return nil }
    return KnownEvent(
      event: event, moment: Moment(seq: seq, time: time), actor: actor, id: id,
      cause: parsed.cause)
  }
}
