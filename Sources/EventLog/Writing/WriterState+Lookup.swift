import Events

/// Looking up streams and ids. The index says where something may be, and only what the log says
/// there is believed; where a checkpoint is damaged, the index is made anew from the log.
extension WriterState {
  /// The revision that a stream is at; 0 if there is none.
  /// - Throws: `.damaged`, `.file`, for what is read of the log.
  /// - Complexity: a stream that was not met since the log was opened costs two or three pages of
  ///   the checkpoint and, if it exists, a line of the log.
  mutating func revision(of stream: String) throws(LogError) -> UInt64 {
    if let known = index.streams.revision(of: stream) { return known }
    guard let candidates = index.earlier(stream) else {
      try rebuild()
      return index.streams.revision(of: stream) ?? 0
    }
    for position in candidates.reversed() {
      let event = try earlier(at: position)
      guard event.stream == stream else { continue }
      index.note(stream, revision: event.rev, last: position)
      return event.rev
    }
    return 0
  }

  /// The event with an id, if the log has it.
  mutating func find(_ id: EventID) throws(LogError) -> RecordedEvent? {
    guard let candidates = index.candidates(id) else {
      try rebuild()
      return try find(id)
    }
    for seq in candidates where seq <= head.seq {
      let event =
        seq > durable.seq ? planned[Int(seq - durable.seq) - 1].event : try recorded(at: seq)
      if let event, event.id == id { return event }
    }
    return nil
  }

  /// The first use of a command's key: a planned one, a durable one, or one that the shared log
  /// reported.
  mutating func use(of tail: UInt64) throws(LogError) -> KeyUse? {
    if let known = knownUses[tail] { return known }
    if let event = try find(tail: tail) { return KeyUse(event) }
    guard head.seq > durable.seq else { return nil }
    for seq in index.candidates(tail: tail) ?? [] where seq > durable.seq && seq <= head.seq {
      let event = planned[Int(seq - durable.seq) - 1].event
      if event.id.low == tail, event.id.time != nil { return KeyUse(event) }
    }
    return nil
  }

  /// The first durable event whose version 7 id has these last 64 bits, if the log has one.
  mutating func find(tail: UInt64) throws(LogError) -> RecordedEvent? {
    guard let candidates = index.candidates(tail: tail) else {
      try rebuild()
      return try find(tail: tail)
    }
    for seq in candidates where seq <= durable.seq {
      if let event = try recorded(at: seq), event.id.low == tail, event.id.time != nil {
        return event
      }
    }
    return nil
  }

  /// The positions of a stream's events after a revision, ascending. The earlier ones are of events
  /// that may be of other streams, or of earlier revisions.
  mutating func positions(
    of stream: String, after revision: UInt64
  ) throws(LogError) -> (earlier: [UInt64], later: [UInt64]) {
    let later = index.streams.positions(of: stream, after: revision)
    if let later, later.after <= revision { return ([], later.positions) }
    guard let earlier = index.earlier(stream) else {
      try rebuild()
      return try positions(of: stream, after: revision)
    }
    return (earlier, later?.positions ?? [])
  }

  /// An event that the checkpoint led to.
  private func earlier(at position: UInt64) throws(LogError) -> RecordedEvent {
    if let line = try view.line(at: position) { return line.event }
    throw changed
  }

  /// An event of the log. Events asked for one after the other, as by a repeated import, are read
  /// many at once.
  private mutating func recorded(at seq: UInt64) throws(LogError) -> RecordedEvent? {
    let next = (lookedUp.last?.seq ?? 0) + 1
    if let first = lookedUp.first?.seq, seq >= first, seq < next {
      return lookedUp[Int(seq - first)]
    }
    lookedUp = try view.page(after: seq - 1, count: seq == next ? 1_024 : 1)
    return lookedUp.first
  }

  /// Makes the index anew from the log alone.
  /// - Complexity: O(log).
  private mutating func rebuild() throws(LogError) {
    let blank = WriterIndex.Base(hashing: index.base.hashing)
    let (index, head) = try WriterIndex.read(view, after: LogHead(), blank)
    guard head == durable else { throw changed }
    self.index = index
    checkpointed = 0
    for place in planned.indices { planned[place].stream = indexed(planned[place].event) }
  }

  private var changed: LogError {
    .notALog(path: view.path, reason: "it is not the log any more that was opened")
  }
}
