/// The fields that the scanner reads at the start of a line.
struct ScannedHead {
  var seq: UInt64
  var time: Timestamp
  /// The event's type; nil if this code does not know the type or its version.
  var type: EventType?
  /// The schema version of the event's data.
  var version = 1
  /// The offset of the data in the line. It is 0 if the line is not in the encoder's layout, and 1
  /// if the caller does not want the event's type.
  var data: Int
  /// The offset of the stream's name in the line, if `data` is more than 1.
  var stream = 0
}

struct StrictHead {
  private var parser = LineParser()
  private var names = Names()

  mutating func read(
    _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Result<ScannedHead, LineFault> {
    do throws(LineFault) {
      let (recorded, event) = try parser.parseSealed(
        UnsafeBufferPointer(start: start, count: length), names: &names)
      return .success(
        ScannedHead(
          seq: recorded.seq, time: recorded.time, type: event?.type, version: recorded.version,
          data: 0))
    } catch {
      return .failure(error)
    }
  }
}

extension LineScanner {
  /// Reads the start of a line in the encoder's layout, `{"seq":N,"time":"…","type":"…","v":N,`. If
  /// the type is wanted, it also finds the data. Returns nil if the line has another layout.
  @inline(__always)
  mutating func head(_ start: UnsafePointer<UInt8>, _ length: Int) -> ScannedHead? {
    var at = start
    let end = start + length - sumLength
    guard take(Envelope.seq, &at, end), let seq = digits(&at, end), take(Envelope.time, &at, end),
      end - at > 40, let time = time(at)
    else { return nil }
    at += Timestamp.length
    guard take(Envelope.type, &at, end) else { return nil }
    let name = at
    guard skipText(&at, end) else { return nil }
    guard let type = TypeTable.shared.find(UnsafeBufferPointer(start: name, count: at - name))
    else { return nil }
    var version = 1
    if !take(Envelope.version1ToStream, &at, end) {
      guard take(Envelope.version2ToStream, &at, end) else { return nil }
      version = 2
    }
    guard Upcaster.isReadAsPresent(type, version) else { return nil }
    guard wanted.contains(type) else {
      return ScannedHead(seq: seq, time: time, type: type, version: version, data: 1)
    }
    let stream = at - start
    guard skipText(&at, end), take(Envelope.rev, &at, end), digits(&at, end) != nil,
      take(Envelope.actor, &at, end), skipText(&at, end), take(Envelope.id, &at, end),
      end - at > EventID.length
    else { return nil }
    at += EventID.length
    if !take(Envelope.data, &at, end) {
      if take(Envelope.cause, &at, end) { guard skipText(&at, end) else { return nil } }
      if take(Envelope.batch, &at, end) { guard skipText(&at, end) else { return nil } }
      guard take(Envelope.data, &at, end) else { return nil }
    }
    return ScannedHead(
      seq: seq, time: time, type: type, version: version, data: at - start, stream: stream)
  }

  @inline(__always)
  private func take(
    _ word: StaticString, _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> Bool {
    let count = word.utf8CodeUnitCount
    guard end - at >= count, equal(at, word.utf8Start, count) else { return false }
    at += count
    return true
  }

  /// Moves `at` to the closing quote of a text, eight bytes at a time; returns false if the text
  /// has escapes or does not end. This is safe because eight bytes after the end of a chunk are
  /// readable.
  @inline(__always)
  private func skipText(_ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Bool {
    while at < end {
      let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
      let ends =
        FastReader.zeroBytes(word ^ FastReader.everyByte(UInt8(ascii: "\"")))
        | FastReader.zeroBytes(word ^ FastReader.everyByte(UInt8(ascii: "\\")))
      if ends != 0 {
        at += ends.trailingZeroBitCount / 8
        return at < end && at.pointee == UInt8(ascii: "\"")
      }
      at += 8
    }
    return false
  }

  @inline(__always)
  private func digits(
    _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UInt64? {
    let first = at
    var value: UInt64 = 0
    while at < end, at.pointee &- UInt8(ascii: "0") < 10, at - first < 19 {
      value = value &* 10 &+ UInt64(at.pointee &- UInt8(ascii: "0"))
      at += 1
    }
    guard at > first, at - first < 19, first.pointee != UInt8(ascii: "0") else { return nil }
    return value
  }

  /// Reads the time at `at`, where 24 bytes are readable; returns nil if the time is not valid.
  /// Parses the date and hour only if they differ from those of the previous line.
  @inline(__always)
  private mutating func time(_ at: UnsafePointer<UInt8>) -> Timestamp? {
    let raw = UnsafeRawPointer(at)
    let low = raw.loadUnaligned(as: UInt64.self)
    let high = raw.loadUnaligned(fromByteOffset: 6, as: UInt64.self)
    if low != hour.0 || high != hour.1 {
      guard let whole = Timestamp(canonical: UnsafeBufferPointer(start: at, count: 24)) else {
        return nil
      }
      if whole >= .epoch {
        hour = (low, high)
        hourStart = whole.milliseconds - whole.milliseconds % 3_600_000
      }
      return whole
    }
    func digit(_ offset: Int) -> Int64 { Int64(at[offset] &- UInt8(ascii: "0")) }
    let valid =
      at[16] == UInt8(ascii: ":") && at[19] == UInt8(ascii: ".") && at[23] == UInt8(ascii: "Z")
      && digit(14) < 6 && digit(15) < 10 && digit(17) < 6 && digit(18) < 10
      && digit(20) < 10 && digit(21) < 10 && digit(22) < 10
    guard valid else { return nil }
    let seconds = (digit(14) * 10 + digit(15)) * 60 + digit(17) * 10 + digit(18)
    let fraction = digit(20) * 100 + digit(21) * 10 + digit(22)
    return Timestamp(milliseconds: hourStart + seconds * 1_000 + fraction)
  }
}
