/// Finding a place in a log without an index: positions and times grow along the file, so that a
/// binary search over byte offsets finds either.
extension LogView {
  /// A line's place: its segment, and the offset of its first byte.
  struct Place: Equatable, Sendable {
    var segment: Int
    var offset: Int
  }

  /// One line: the parsed envelope and the bytes, without the line feed.
  public struct Line: Sendable {
    public var event: RecordedEvent
    public var bytes: [UInt8]
    /// The recorded sum of the line before.
    public var previousSum: UInt64
  }

  /// Position, time and sum of the last event; all zero for an empty log.
  /// - Throws: `.damaged` if the last line is.
  public func head() throws(LogError) -> LogHead {
    guard let last = segments.lastIndex(where: { $0.size > 0 }) else { return LogHead() }
    let size = segments[last].size
    let line = try line(
      last, start: lineStart(last, before: segments[last].lacksLineFeed ? size : size - 1))
    return LogHead(seq: line.event.seq, time: line.event.time, sum: line.event.sum)
  }

  /// The line at a position, its own sum and seq checked; nil beyond the head.
  /// - Complexity: O(log size) small reads.
  public func line(at seq: UInt64) throws(LogError) -> Line? {
    guard let place = try place(of: seq) else { return nil }
    return try line(place.segment, start: place.offset)
  }

  /// The position of the last event at or before a time; 0 if there is none.
  /// - Complexity: O(log size) small reads.
  public func position(at time: Timestamp) throws(LogError) -> UInt64 {
    guard
      let segment = try lastSegment(where: { (line) throws(LogError) in line.event.time <= time })
    else { return 0 }
    let place = try search(segment) { $0.event.time <= time }
    return try line(segment, start: place.offset).event.seq
  }

  func place(of seq: UInt64) throws(LogError) -> Place? {
    guard seq > 0, let segment = segments.lastIndex(where: { $0.first <= seq && $0.size > 0 })
    else { return nil }
    let place = try search(segment) { $0.event.seq <= seq }
    return try line(segment, start: place.offset).event.seq == seq ? place : nil
  }

  private func lastSegment(
    where holds: (Line) throws(LogError) -> Bool
  ) throws(LogError) -> Int? {
    for index in segments.indices.reversed() where segments[index].size > 0 {
      if try holds(line(index, start: 0)) { return index }
    }
    return nil
  }

  /// The last line of a segment for which the condition holds, given that it holds for the first
  /// line and from some line on no more.
  private func search(
    _ segment: Int, _ holds: (Line) -> Bool
  ) throws(LogError) -> Place {
    var low = 0  // the start of a line for which it holds
    var high = segments[segment].size  // no line that starts here or later is a candidate
    while true {
      let middle = low + (high - low) / 2
      var start = try lineStart(segment, before: middle)
      if start <= low {
        start = try lineEnd(segment, from: max(middle, low)) + 1
        if start >= high {
          // Only the lines between are left: walk them.
          start = try lineEnd(segment, from: low) + 1
          if start >= high { return Place(segment: segment, offset: low) }
        }
      }
      if holds(try line(segment, start: start)) { low = start } else { high = start }
    }
  }

  func line(_ segment: Int, start: Int) throws(LogError) -> Line {
    let end = try lineEnd(segment, from: start)
    let place = (file: segments[segment].path, offset: start)
    func damage(_ fault: LineFault) throws(LogError) -> LogError {
      let number = try lineNumber(segment, start)
      return .damaged(
        Damage(
          file: place.file, line: number, offset: start,
          seq: segments[segment].first + UInt64(number) - 1, fault: fault))
    }
    guard end - start <= LineParser.longestLine else {
      throw try damage(LineFault(.tooLong(limit: LineParser.longestLine)))
    }
    let bytes = try bytes(segment, start..<end)
    let previous = try sum(segment, before: start)
    var parser = LineParser()
    var names = Names()
    let parsed: ParsedLine
    do throws(LineFault) {
      parsed = try parser.parse(bytes, names: &names).line
    } catch {
      throw try damage(error)
    }
    guard let event = RecordedEvent(parsed) else { throw try damage(parsed.missing) }
    let actual = bytes.withUnsafeBufferPointer { raw -> Bool in
      guard let base = raw.baseAddress, let previous,
        recordedSum(base, raw.count) == event.sum
      else { return false }
      return XXH64.hash(base, raw.count - sumLength, seed: previous) == event.sum
    }
    guard actual else { throw try damage(LineFault(.wrongSum)) }
    return Line(event: event, bytes: bytes, previousSum: previous ?? 0)
  }

  /// Counts the lines before an offset; for messages only.
  func lineNumber(_ segment: Int, _ offset: Int) throws(LogError) -> Int {
    var count = 1
    var at = 0
    while at < offset {
      let end = min(offset, at + 1 << 20)
      count += try bytes(segment, at..<end).reduce(0) { $0 + ($1 == 0x0a ? 1 : 0) }
      at = end
    }
    return count
  }
}

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
    let name =
      seq == nil
      ? "seq"
      : time == nil
        ? "time"
        : version == nil
          ? "v" : stream == nil ? "stream" : rev == nil ? "rev" : id == nil ? "id" : "sum"
    return LineFault(.missingMember, path: name)
  }
}
