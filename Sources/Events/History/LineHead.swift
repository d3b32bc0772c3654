/// A sealed line's stream name, stream revision and event id, found without parsing the whole line.
package struct LineHead {
  package var stream: UnsafeBufferPointer<UInt8>
  package var rev: UInt64
  package var id: EventID
}

extension LineHead {
  /// Reads a line whose data starts at offset `data`, as found by the scanner. Returns nil if
  /// `data` is 0 or 1, which means that the line has another layout than the encoder's.
  init?(_ line: UnsafeBufferPointer<UInt8>, _ data: Int) {
    guard data > 1, let base = line.baseAddress else { return nil }
    var walk = Walk(at: base, end: base + data)
    guard walk.skip(to: Envelope.stream) else { return nil }
    stream = walk.string()
    guard walk.skip(to: Envelope.rev) else { return nil }
    rev = walk.digits()
    guard walk.skip(to: Envelope.id), walk.end - walk.at > EventID.length,
      let id = EventID(UnsafeBufferPointer(start: walk.at, count: EventID.length))
    else { return nil }
    self.id = id
  }

  /// Returns the actor's id in a line whose data starts at offset `data`; nil for a line in another
  /// layout.
  static func actor(
    _ line: UnsafeBufferPointer<UInt8>, _ data: Int
  ) -> UnsafeBufferPointer<UInt8>? {
    guard data > 1, let base = line.baseAddress else { return nil }
    var walk = Walk(at: base, end: base + data)
    guard walk.skip(to: Envelope.actor) else { return nil }
    let actor = walk.string()
    return isValidID(actor) ? actor : nil
  }

  /// Returns the line's correlation id; nil if the line has none directly before its checksum.
  package static func correlation(
    _ line: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    let word = Envelope.correlation
    let end = line.count - sumLength - 1
    guard end > 0, line[end] == UInt8(ascii: "\""), let base = line.baseAddress else { return nil }
    var start = end
    while start > 0, end - start < CorrelationID.longest, CorrelationID.isPart(line[start - 1]) {
      start -= 1
    }
    guard start < end, start > word.utf8CodeUnitCount,
      equal(base + start - word.utf8CodeUnitCount, word.utf8Start, word.utf8CodeUnitCount)
    else { return nil }
    return UnsafeBufferPointer(start: base + start, count: end - start)
  }

  /// Returns whether the next line belongs to the same commit as this line, whose data starts at
  /// offset `data`. Returns false for a line that is not in the encoder's layout.
  ///
  /// The function only reads the `batch` field, right before the data. Reading from the line's
  /// start took a hundredth of a replay's time.
  static func continues(_ line: UnsafeBufferPointer<UInt8>, _ data: Int) -> Bool {
    guard data > 1, let base = line.baseAddress else { return false }
    let (end, word) = (base + data - Envelope.data.utf8CodeUnitCount, Envelope.batch)
    var start = end
    while start > base, (start - 1).pointee &- UInt8(ascii: "/") <= 10 { start -= 1 }
    guard start < end, start - base >= word.utf8CodeUnitCount,
      equal(start - word.utf8CodeUnitCount, word.utf8Start, word.utf8CodeUnitCount)
    else { return false }
    var walk = Walk(at: start, end: end)
    let index = walk.digits()
    walk.at += 1
    return index < walk.digits()
  }

  private struct Walk {
    var at: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>

    /// Moves past the next occurrence of `word`, which contains punctuation that no id or type name
    /// contains. Returns false if there is none.
    mutating func skip(to word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      while at + count <= end {
        if at.pointee == word.utf8Start.pointee, equal(at, word.utf8Start, count) {
          at += count
          return true
        }
        at += 1
      }
      return false
    }

    mutating func string() -> UnsafeBufferPointer<UInt8> {
      let start = at
      while at < end, at.pointee != UInt8(ascii: "\"") { at += 1 }
      return UnsafeBufferPointer(start: start, count: at - start)
    }

    mutating func digits() -> UInt64 {
      var value: UInt64 = 0
      while at < end, at.pointee &- UInt8(ascii: "0") < 10 {
        value = value &* 10 &+ UInt64(at.pointee &- UInt8(ascii: "0"))
        at += 1
      }
      return value
    }
  }
}
