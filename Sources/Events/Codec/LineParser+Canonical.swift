extension LineParser {
  /// Reads a line in the encoder's layout; returns nil for a line in another layout. An unsealed
  /// line may omit the fields that a store adds.
  ///
  /// This is three times as fast as parsing the line into a `JSONTape`.
  static func canonical(
    _ bytes: UnsafeBufferPointer<UInt8>, _ names: inout Names, _ isForeign: Bool = false
  ) -> (line: ParsedLine, event: Event?)? {
    guard let base = bytes.baseAddress else { return nil }
    let found = withUnsafeMutablePointer(to: &names) { names in
      var reader = FastReader(base, base + bytes.count, names)
      return try? read(&reader, isForeign)
    }
    guard var found else { return nil }
    if let stream = found.stream {
      // This code is outside the closure that receives the pointer, because in it the call would
      // copy all tables of names.
      var expected = found.event.streamName(names)
      let isExpected = expected.withUTF8 { name in
        guard let a = name.baseAddress, let b = stream.baseAddress else { return false }
        return name.count == stream.count && equal(a, b, name.count)
      }
      guard isExpected else { return nil }
      found.line.stream = expected
    }
    return (found.line, found.event)
  }

  /// Reads a line's fields, its event, and the text of its `stream` field (nil if absent). The
  /// caller must check that this text is the name of the event's stream.
  private static func read(
    _ r: inout FastReader, _ isForeign: Bool
  ) throws(LineFault) -> (line: ParsedLine, event: Event, stream: UnsafeBufferPointer<UInt8>?) {
    let seq: Int64? = try r.optional("seq")
    let time = try r.text("time")
    guard let name = try r.text("type"), let type = TypeTable.shared.find(name) else {
      throw FastReader.deviation
    }
    let version: Int64? = try r.optional("v")
    let stream = try r.text("stream")
    let rev: Int64? = try r.optional("rev")
    guard let actor = try r.text("actor"), isValidID(actor) else { throw FastReader.deviation }
    let id = try r.text("id")
    let cause = try r.text("cause")
    let batch = try r.text("batch")
    let present = version.map { Int(clamping: $0) } ?? (isForeign ? type.version : 1)
    guard r.take("data"), Upcaster.isReadAsPresent(type, present), seq ?? 1 > 0, rev ?? 1 > 0
    else { throw FastReader.deviation }
    var inner = FastReader(r.at, r.end, r.names)
    let event = try Upcaster.event(type, present, from: &inner)
    guard inner.close() else { throw FastReader.deviation }
    let text = UnsafeBufferPointer(start: r.at, count: inner.at - r.at)
    let hasEscape = text.contains(UInt8(ascii: "\\"))
    let data: [UInt8]
    if present == type.version, hasEscape || !Self.typesWithOneSpelling.contains(type) {
      data = event.data(UnsafePointer(r.names))
    } else {
      // Data of an older version is returned as it was written.
      if hasEscape { throw FastReader.deviation }
      data = Array(text)
    }
    r.at = inner.at
    let correlation = try r.text("correlation")
    let sum = try r.text("sum")
    guard r.isAtEnd() else { throw FastReader.deviation }
    var line = ParsedLine(
      seq: seq.map(UInt64.init), type: type.name, version: version.map(Int.init),
      rev: rev.map(UInt64.init), actor: String(decoding: actor, as: UTF8.self),
      data: data, extra: [])
    if isForeign { line.assumeVersion(of: type) }
    line.time = try value(time, Timestamp.init(canonical:))
    line.id = try value(id) { EventID($0) }
    line.cause = try value(cause) { EventID($0) }
    line.batch = try value(batch) { Batch(String(decoding: $0, as: UTF8.self)) }
    line.correlation = try value(correlation) { CorrelationID($0) }
    line.sum = try value(sum) { $0.count == 16 ? hexSum($0.baseAddress!) : nil }
    return (line, event, stream)
  }

  /// Frequent types whose data `FastReader` accepts in only one spelling if it has no escapes: the
  /// fields are ids, texts and booleans. Copying such data takes a fifth of the time of encoding it
  /// again.
  package static let typesWithOneSpelling: EventTypes = [
    .userFollowed, .userUnfollowed, .friendRequested, .friendRequestCancelled,
    .friendRequestAccepted, .friendRequestRejected, .friendRemoved, .userBlocked, .userUnblocked,
    .chupGiven, .chupWithdrawn, .commentPosted, .commentEdited, .commentRemoved, .commentHearted,
    .commentUnhearted, .messageSent, .profileCreated,
  ]

  /// Reads the facts about a sealed line that time travel needs: event, position, time, actor, id
  /// and cause. Returns nil for a line that is not in the encoder's layout.
  ///
  /// This is four times as fast as `canonical`, which also creates texts and a copy of the data.
  package static func known(
    _ bytes: UnsafeBufferPointer<UInt8>, _ names: inout Names
  ) -> KnownEvent? {
    guard let base = bytes.baseAddress else { return nil }
    return withUnsafeMutablePointer(to: &names) { names in
      var reader = FastReader(base, base + bytes.count, names)
      return try? known(&reader)
    }
  }

  private static func known(_ r: inout FastReader) throws(LineFault) -> KnownEvent {
    let seq: Int64 = try r.required("seq")
    guard let time = try r.text("time").flatMap(Timestamp.init(canonical:)),
      let name = try r.text("type"), let type = TypeTable.shared.find(name)
    else { throw FastReader.deviation }
    let version: Int64 = try r.required("v")
    guard seq > 0, Upcaster.isReadAsPresent(type, Int(clamping: version)),
      try r.text("stream") != nil
    else {
      throw FastReader.deviation
    }
    let _: Int64 = try r.required("rev")
    guard let actor = try r.text("actor"), isValidID(actor),
      let id = try r.text("id").flatMap({ EventID($0) })
    else { throw FastReader.deviation }
    let cause = try r.text("cause")
    _ = try r.text("batch")
    guard r.take("data") else { throw FastReader.deviation }
    var inner = FastReader(r.at, r.end, r.names)
    let event = try Upcaster.event(type, Int(clamping: version), from: &inner)
    guard inner.close() else { throw FastReader.deviation }
    r.at = inner.at
    _ = try r.text("correlation")
    guard try r.text("sum") != nil, r.isAtEnd() else { throw FastReader.deviation }
    return KnownEvent(
      event: event, moment: Moment(seq: UInt64(seq), time: time),
      actor: UserID(index: r.names.pointee.users.intern(actor)), id: id,
      cause: try value(cause) { EventID($0) })
  }

  /// Returns a line's stream, its stream revision and its place in its commit. Returns nil for a
  /// line that is not in the encoder's layout, and for a line that `parse` refuses.
  ///
  /// The scanner must have checked the line up to the stream's name, and the line must end with a
  /// checksum. The function allocates memory only for texts in the data.
  /// - Parameters:
  ///   - stream: The offset in the line at which the stream's name begins.
  ///   - buffer: Memory that the function may overwrite; reusing it avoids allocations.
  static func place(
    _ bytes: UnsafeBufferPointer<UInt8>, _ type: EventType, _ version: Int, stream: Int,
    _ names: inout Names, _ buffer: inout ByteBuffer
  ) -> LinePlace? {
    let member = Envelope.stream.utf8CodeUnitCount
    guard let base = bytes.baseAddress, stream > member else { return nil }
    let place = withUnsafeMutablePointer(to: &names) { names in
      var reader = FastReader(
        base + (stream - member), base + (bytes.count - sumLength), names,
        separator: UInt8(ascii: ","))
      return try? Self.place(&reader, type, version)
    }
    guard let place else { return nil }
    buffer.truncate(to: 0)
    names.append(place.id, to: &buffer)
    let isRight = buffer.withBytes { expected in
      expected.count == place.stream.count
        && equal(expected.baseAddress!, place.stream.baseAddress!, expected.count)
    }
    return isRight ? place : nil
  }

  private static func place(
    _ r: inout FastReader, _ type: EventType, _ version: Int
  ) throws(LineFault) -> LinePlace {
    guard let stream = try r.text("stream") else { throw FastReader.deviation }
    let rev: Int64 = try r.required("rev")
    guard rev > 0, r.take("actor"), r.id() != nil, r.take("id"), r.eventID() != nil,
      !r.take("cause") || r.eventID() != nil
    else { throw FastReader.deviation }
    let batch = try r.text("batch")
    guard r.take("data") else { throw FastReader.deviation }
    var inner = FastReader(r.at, r.end, r.names)
    let event = try Upcaster.event(type, version, from: &inner)
    guard inner.endsLine(), let id = event.stream else { throw FastReader.deviation }
    return LinePlace(
      stream: stream, id: id, rev: UInt64(rev),
      batch: try value(batch) { Batch(String(decoding: $0, as: UTF8.self)) })
  }

  /// Converts the text of an optional field with `read`; returns nil if `text` is nil. Throws an
  /// error if `read` returns nil, because the text is then malformed.
  private static func value<V>(
    _ text: UnsafeBufferPointer<UInt8>?, _ read: (UnsafeBufferPointer<UInt8>) -> V?
  ) throws(LineFault) -> V? {
    guard let text else { return nil }
    guard let value = read(text) else { throw FastReader.deviation }
    return value
  }
}

/// A line's stream, its stream revision (`rev`) and its place in its commit (`batch`).
struct LinePlace {
  /// The stream's name, as bytes of the line.
  var stream: UnsafeBufferPointer<UInt8>
  var id: StreamID
  var rev: UInt64
  var batch: Batch?
}
