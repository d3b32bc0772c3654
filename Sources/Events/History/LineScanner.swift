/// What the scanner found in a line that is to be decoded.
package struct ScannedLine {
  /// From the start of the chunk's bytes, and without the line feed.
  package var start: Int
  package var length: Int
  /// Offset of the `data` object within the line; 0 for a line that only the strict parser reads.
  package var data: Int
  /// Offset of the stream's name, where `data` is more than 1.
  package var stream: Int
  /// Nil for a type or version this code does not know.
  package var type: EventType?
  package var version: Int
  package var moment: Moment
}

/// Checks sum, position and time of the lines of one chunk of a sealed log, and picks out those of
/// wanted types.
///
/// This is the hot loop of every cold read. A line costs one search for its end, one XXH64 and a
/// look at its first members; only the sum verifies the rest of a line that is not wanted. A line
/// in any other layout than the encoder's is left to the strict parser.
package struct LineScanner {
  package private(set) var lines: [ScannedLine] = []
  /// The position before the first line and after the last one.
  private(set) var first: LogHead
  private(set) var last: LogHead
  private(set) var firstTime = Timestamp.earliest
  private(set) var count = 0
  /// The first wrong line: its number in the chunk from 0, and its position if known.
  package private(set) var damage: (line: Int, seq: UInt64, fault: LineFault)?

  let wanted: EventTypes
  private let checksSums: Bool
  /// The hour of the last line's time, as text (its first 14 bytes, in two words) and as number.
  var hour: (UInt64, UInt64) = (0, 0)
  var hourStart: Int64 = 0

  init(after head: LogHead, wanted: EventTypes, checksSums: Bool = true) {
    first = head
    last = head
    self.wanted = wanted
    self.checksSums = checksSums
  }

  /// Scans whole lines.
  /// - Parameters:
  ///   - bytes: ends in a line feed; at least 8 readable bytes follow it.
  ///   - knowsPosition: whether the head before the chunk is known beyond its sum.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, knowsPosition: Bool) {
    guard let base = bytes.baseAddress, damage == nil else { return }
    var isFirst = !knowsPosition
    var offset = 0
    while offset < bytes.count {
      let start = base + offset
      guard let end = firstLineFeed(start, bytes.count - offset) else {
        // Only a segment that is not the last can end so: a tail of the last one is not read.
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

  /// Notes that the first line cannot be checked, because the line before it records no sum.
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

  /// Types and versions this code does not know, those of apps among them, by how often; found
  /// when they are met.
  package private(set) var unknown: [UnknownType: Int] = [:]
  /// The first that is not an app's own.
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

  /// The fault of a line that does not end in a sum: invalid JSON, if it is, or the missing sum.
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

/// The name and version of a type that this code does not know.
public struct UnknownType: Hashable, Sendable {
  public var name: String
  public var version: Int

  public init(name: String, version: Int) { (self.name, self.version) = (name, version) }

  /// Whether the type is an app's own: its name has a dot with something on either side, such as
  /// `climbr.RouteSet`. No type of this package has one, now or later.
  ///
  /// Such events are kept and shown; projections and use cases skip them, whatever the policy for
  /// unknown types.
  public var isOfApp: Bool { Self.isOfApp(name) }

  /// Whether the name of a type is that of an app's own type.
  public static func isOfApp(_ name: String) -> Bool {
    name.utf8.dropFirst().dropLast().contains(UInt8(ascii: "."))
  }
}
