/// A line that the scanner collected: the offsets of its parts, and its event's type, version,
/// position and time.
package struct ScannedLine {
  /// The offset of the line in the chunk's bytes.
  package var start: Int
  /// The length of the line in bytes, without the line feed.
  package var length: Int
  /// The offset of the `data` object in the line; 0 if only the strict parser can read the line.
  package var data: Int
  /// The offset of the stream's name in the line, if `data` is more than 1.
  package var stream: Int
  /// The event's type; nil if this code does not know the type or its version.
  package var type: EventType?
  package var version: Int
  package var moment: Moment
}

/// A scanner that checks the checksum, position and time of each line in a chunk. It collects the
/// lines whose event types are in `wanted` or unknown.
///
/// Every read without a checkpoint spends most of its time here. For each line, the scanner finds
/// the end, computes the checksum and reads the first fields. If the line's type is not wanted,
/// only the checksum verifies the rest of the line. The strict parser reads lines that are not in
/// the encoder's layout.
package struct LineScanner {
  package private(set) var lines: [ScannedLine] = []
  /// The position, time and checksum of the event before the chunk's first line.
  private(set) var first: LogHead
  /// The position, time and checksum of the last event that was scanned.
  private(set) var last: LogHead
  private(set) var firstTime = Timestamp.earliest
  private(set) var count = 0
  /// The fault of the first wrong line, and the line's number in the chunk, from 0. `seq` is the
  /// line's position in the log; it can be wrong for line 0.
  package private(set) var damage: (line: Int, seq: UInt64, fault: LineFault)?

  let wanted: EventTypes
  private let checksSums: Bool
  /// The date and hour of the last line's time as text: 14 bytes, in two overlapping words.
  var hour: (UInt64, UInt64) = (0, 0)
  /// The start of the hour in `hour`, in milliseconds since 1970.
  var hourStart: Int64 = 0

  init(after head: LogHead, wanted: EventTypes, checksSums: Bool = true) {
    first = head
    last = head
    (self.wanted, self.checksSums) = (wanted, checksSums)
  }

  /// Checks lines and collects those whose event types are in `wanted` or unknown.
  /// - Parameters:
  ///   - bytes: The lines, each with its line feed; at least 8 readable bytes follow them.
  ///   - knowsPosition: Whether the position and time of the event before the chunk are known. If
  ///     false, only that event's checksum is known.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, knowsPosition: Bool) {
    guard let base = bytes.baseAddress, damage == nil else { return }
    var isFirst = !knowsPosition
    var offset = 0
    while offset < bytes.count {
      let start = base + offset
      guard let end = firstLineFeed(start, bytes.count - offset) else {
        // Only a segment that is not the log's last can end without a line feed. The tail of the
        // last segment is not read.
        damage = (count, last.seq + 1, LineFault(.truncated))
        return
      }
      let length = end - UnsafeRawPointer(start)
      if let fault = line(start, length, offset, &isFirst) {
        damage = (count, last.seq + 1, fault)
        return
      }
      count += 1
      offset += length + 1
    }
  }

  /// Removes the collected lines that `filter` does not keep. `base` is the start of the bytes.
  mutating func keep(_ filter: LineFilter, _ base: UnsafePointer<UInt8>) {
    lines.removeAll { !filter.keeps($0, base) }
  }

  /// Records `fault` as the fault of the first line. The scanner cannot check the first line if the
  /// line before it has no checksum.
  mutating func fail(_ fault: LineFault) { damage = (0, 0, fault) }

  @inline(__always)
  private mutating func line(
    _ start: UnsafePointer<UInt8>, _ length: Int, _ offset: Int, _ isFirst: inout Bool
  ) -> LineFault? {
    guard length > sumLength, let sum = recordedSum(start, length) else {
      return length > LineParser.longestLine
        ? LineFault(.tooLong(limit: LineParser.longestLine)) : Self.malformed(start, length)
    }
    if checksSums, XXH64.hash(start, length - sumLength, seed: last.sum) != sum {
      return LineFault(.wrongSum)
    }
    if length > LineParser.longestLine {
      return LineFault(.tooLong(limit: LineParser.longestLine))
    }
    let head: ScannedHead
    if let fast = self.head(start, length) {
      head = fast
    } else {
      var strict = StrictHead()
      switch strict.read(start, length) {
      case .failure(let fault): return fault
      case .success(let found): head = found
      }
    }
    if isFirst {
      first.seq = head.seq - 1
      last = LogHead(seq: first.seq, time: head.time, sum: last.sum)
      isFirst = false
    }
    if count == 0 { firstTime = head.time }
    if head.seq != last.seq + 1 {
      return LineFault(.wrongSequence(expected: last.seq + 1), path: "seq")
    }
    if head.time < last.time { return LineFault(.timeGoesBack, path: "time") }
    last = LogHead(seq: head.seq, time: head.time, sum: sum)
    if head.type.map(wanted.contains) ?? true {
      lines.append(
        ScannedLine(
          start: offset, length: length, data: head.data, stream: head.stream,
          type: head.type, version: head.version,
          moment: Moment(seq: head.seq, time: head.time)))
    }
    return head.type == nil ? unknown(start, length) : nil
  }

  /// The number of events for each type and version that this code does not know. Apps' own types
  /// are included.
  package private(set) var unknown: [UnknownType: Int] = [:]
  /// The first event whose type is unknown and not an app's own: the type, and the event's
  /// position.
  private(set) var firstUnknown: (type: UnknownType, seq: UInt64)?

  private mutating func unknown(_ start: UnsafePointer<UInt8>, _ length: Int) -> LineFault? {
    var names = Names()
    var parser = LineParser()
    let line: ParsedLine
    do throws(LineFault) {
      line = try parser.parse(UnsafeBufferPointer(start: start, count: length), names: &names).line
    } catch {
      return error
    }
    let type = UnknownType(name: line.type, version: line.version ?? 1)
    unknown[type, default: 0] += 1
    if firstUnknown == nil, !type.isOfApp { firstUnknown = (type, last.seq) }
    return nil
  }

  /// Returns the fault of a line that does not end with a checksum: the fault in its JSON, or
  /// `sumNotLast` for valid JSON.
  private static func malformed(_ start: UnsafePointer<UInt8>, _ length: Int) -> LineFault {
    var names = Names()
    var parser = LineParser()
    do throws(LineFault) {
      _ = try parser.parse(UnsafeBufferPointer(start: start, count: length), names: &names)
    } catch {
      return error
    }
    return LineFault(.sumNotLast, at: max(0, length - sumLength))
  }
}

/// The name and version of an event type that this code does not know.
public struct UnknownType: Hashable, Sendable {
  /// The name of the type, as in the log's `type` field.
  public var name: String
  /// The schema version of the event's data.
  public var version: Int

  /// Creates an unknown type from its name and version.
  public init(name: String, version: Int) { (self.name, self.version) = (name, version) }

  /// Whether the type is an app's own. The name of such a type has a dot with text on both sides,
  /// such as `climbr.RouteSet`. Names of this package's types never have a dot.
  ///
  /// Logs store and show events of apps' own types. Projections and use cases skip such unknown
  /// types under every `UnknownPolicy`.
  public var isOfApp: Bool { Self.isOfApp(name) }

  /// Whether a name is the name of an app's own event type.
  public static func isOfApp(_ name: String) -> Bool {
    name.utf8.dropFirst().dropLast().contains(UInt8(ascii: "."))
  }
}
