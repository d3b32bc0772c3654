extension History {
  /// Calls `body` with each event after a position, in order, until it returns false.
  ///
  /// This method checks every line and parses it with the strict parser. It is meant for tools that
  /// show events.
  /// - Throws: `.damaged` at the first line that is not as it was written.
  /// - Complexity: About a microsecond an event.
  public func forEachEvent(
    after seq: UInt64 = 0, _ body: (RecordedEvent) throws(LogError) -> Bool
  ) throws(LogError) {
    try forEachLine(after: seq) { (line) throws(LogError) in try body(line.event) }
  }

  /// Calls `body` with each line after position `seq` up to `until`, in order, until it returns
  /// false.
  /// - Throws: `.damaged` at the first line that is not as it was written.
  public func forEachLine(
    after seq: UInt64 = 0, until: UInt64 = .max, _ body: (SealedLine) throws(LogError) -> Bool
  ) throws(LogError) {
    var consumer = ChunkConsumer(after: try head(at: seq), unknown: .skip)
    var parser = LineParser()
    var names = Names()
    for chunk in try chunks(after: seq, until: until) {
      let chunk = try scan(chunk, wanted: .all)
      try consumer.join(chunk)
      var previous = consumer.head.sum
      var number = 0
      var goesOn = true
      try chunk.forEachLine { (_, bytes, _) throws(LogError) in
        guard goesOn else { return }
        let event: RecordedEvent
        do throws(LineFault) {
          event = try parser.parseSealed(bytes, names: &names).recorded
        } catch {
          throw consumer.damage(chunk, number, error)
        }
        goesOn = try body(
          SealedLine(event: event, bytes: Array(bytes), previousSum: previous))
        previous = event.sum
        number += 1
      }
      if !goesOn { return }
      try consumer.finish(chunk)
    }
  }

  /// Returns the next events after a position: at most `count`, and fewer if their lines exceed 4
  /// MiB together.
  package func page(after seq: UInt64, count: Int = 1_024) throws(LogError) -> [RecordedEvent] {
    var found: [RecordedEvent] = []
    var bytes = 0
    try forEachLine(after: seq, until: seq + UInt64(count)) { line in
      found.append(line.event)
      bytes += line.bytes.count
      return found.count < count && bytes < 4 << 20
    }
    return found
  }

  /// Calls `body` with each typed event after `position` up to `limit`, in order, with its actor.
  /// - Returns: The position, time and checksum of the last event read, even if it was skipped; nil
  ///   if no event follows `position`.
  /// - Throws: `.damaged` at the first wrong line; `.unknownType` if the policy is to stop.
  @discardableResult
  public func forEachTypedEvent(
    after position: UInt64 = 0, until limit: UInt64 = .max, _ names: inout Names,
    unknown: ChunkConsumer.UnknownPolicy = .stop,
    progress: (Int) -> Void = { _ in }, _ body: (borrowing Event, EventActor, Moment) -> Void
  ) throws(LogError) -> Moment? {
    try forEachChunk(after: position, until: limit, unknown, progress) {
      consumer, chunk throws(LogError) in
      try consumer.consumeWithActors(chunk, &names, until: limit, body)
    }
  }

  /// Calls `body` like `forEachTypedEvent`, and also passes whether the event is the last of its
  /// commit. If a commit's last event is skipped, no call reports the commit's end.
  /// - Throws: The errors of `forEachTypedEvent`.
  @discardableResult
  package func forEachEventOfCommits(
    after position: UInt64 = 0, until limit: UInt64 = .max, _ names: inout Names,
    unknown: ChunkConsumer.UnknownPolicy = .stop, progress: (Int) -> Void = { _ in },
    _ body: (borrowing Event, EventActor, Moment, Bool) -> Void
  ) throws(LogError) -> Moment? {
    try forEachChunk(after: position, until: limit, unknown, progress) {
      consumer, chunk throws(LogError) in
      try consumer.consumeCommits(chunk, &names, until: limit, body)
    }
  }

  private func forEachChunk(
    after position: UInt64, until limit: UInt64, _ unknown: ChunkConsumer.UnknownPolicy,
    _ progress: (Int) -> Void,
    _ consume: (inout ChunkConsumer, ScannedChunk) throws(LogError) -> Void
  ) throws(LogError) -> Moment? {
    var consumer = ChunkConsumer(after: try head(at: position), unknown: unknown)
    var done = 0
    for chunk in try chunks(after: position, until: limit) {
      let chunk = try scan(chunk, wanted: .all)
      try consume(&consumer, chunk)
      done += chunk.byteCount
      progress(done)
    }
    let head = consumer.head.seq > limit ? try head(at: limit) : consumer.head
    return head.seq > position ? Moment(seq: head.seq, time: head.time) : nil
  }
}
