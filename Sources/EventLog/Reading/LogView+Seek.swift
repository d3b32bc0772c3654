import Events

/// A search for a line by position or time. It needs no index, because positions and times only
/// grow.
extension LogView {
  /// The address of a line: its segment, and the offset of its first byte.
  struct LineAddress: Equatable, Sendable {
    var segment: Int
    var offset: Int
  }

  /// Returns the last event's position, time and checksum; all are zero for an empty log.
  /// - Throws: `.damaged` if the last line is damaged.
  public func head() throws(LogError) -> LogHead {
    guard let last = segments.lastIndex(where: { $0.size > 0 }) else { return LogHead() }
    let line = try line(last, start: try lastLineStart(last))
    return LogHead(line.event)
  }

  /// Returns a view of the log up to and including a position; the whole log if it ends earlier.
  func prefix(through position: UInt64) throws(LogError) -> LogView {
    var view = self
    if position == 0 {
      view.segments = []
    } else {
      guard position < .max, let end = try address(of: position + 1) else { return self }
      view.segments.removeLast(segments.count - 1 - end.segment)
      view.segments[end.segment].size = end.offset
      view.segments[end.segment].lacksLineFeed = false
      view.segments[end.segment].end = position + 1
    }
    view.tail = .none
    return view
  }

  func lastLineStart(_ segment: Int) throws(LogError) -> Int {
    let size = segments[segment].size
    return try lineStart(segment, before: segments[segment].lacksLineFeed ? size : size - 1)
  }

  /// Returns the line at a position; nil after the last event. Checks only this line's checksum and
  /// `seq`.
  /// - Complexity: usually O(log log size) small reads, at worst O(log size).
  public func line(at seq: UInt64) throws(LogError) -> SealedLine? {
    guard let place = try address(of: seq) else { return nil }
    return try line(place.segment, start: place.offset)
  }

  /// Returns the time of the event at a position; of the last event if the log has fewer events.
  package func time(of seq: UInt64) throws(LogError) -> Timestamp {
    if let line = try line(at: seq) { return line.event.time }
    return try head().time
  }

  /// Returns the position of the last event at or before a time; 0 if there is none.
  /// - Complexity: O(log size) small reads.
  public func position(at time: Timestamp) throws(LogError) -> UInt64 {
    for segment in segments.indices.reversed() where segments[segment].size > 0 {
      guard try line(segment, start: 0).event.time <= time else { continue }
      let offset = try search(segment, 0, segments[segment].size) { $0.event.time <= time }
      return try line(segment, start: offset).event.seq
    }
    return 0
  }

  func address(of seq: UInt64) throws(LogError) -> LineAddress? {
    var window = Window()
    return try address(of: seq, &window)
  }

  /// Returns the address of the line at a position; nil if there is none.
  /// - Parameter window: receives the bytes that the search read last.
  func address(of seq: UInt64, _ window: inout Window) throws(LogError) -> LineAddress? {
    guard seq > 0, let segment = segments.lastIndex(where: { $0.first <= seq && $0.size > 0 })
    else { return nil }
    var low = Probe(offset: 0, seq: segments[segment].first)
    var high = Probe(offset: segments[segment].size, seq: try end(of: segment))
    if seq >= high.seq { return nil }
    // Lines have similar lengths, so an interpolated guess is soon close.
    for _ in 0..<16 where low.seq < seq {
      let ahead = Double(seq - low.seq) / Double(high.seq - low.seq)
      let guess = low.offset + Int(Double(high.offset - low.offset) * ahead)
      switch try look(segment, near: guess, for: seq, low, high, &window) {
      case .found(let offset): return LineAddress(segment: segment, offset: offset)
      case .between(let newLow, let newHigh): (low, high) = (newLow, newHigh)
      case .unclear: break
      }
    }
    let offset =
      low.seq == seq
      ? low.offset : try search(segment, low.offset, high.offset) { $0.event.seq <= seq }
    return try line(segment, start: offset).event.seq == seq
      ? LineAddress(segment: segment, offset: offset) : nil
  }

  /// Returns the position of the last event of a segment, plus 1.
  private func end(of segment: Int) throws(LogError) -> UInt64 {
    if let next = segments[(segment + 1)...].first(where: { $0.size > 0 }) { return next.first }
    if let end = segments[segment].end { return end }
    return try line(segment, start: try lastLineStart(segment)).event.seq + 1
  }

  struct Window {
    var bytes: [UInt8] = []
    var start = 0
  }

  /// The offset at which a line starts, and the position of its event.
  private struct Probe {
    var offset: Int
    var seq: UInt64
  }

  private enum Finding {
    case found(Int)
    case between(Probe, Probe)
    case unclear
  }

  /// Reads some lines around the offset `guess`. Returns the offset of the line at `seq` if it is
  /// among them, or else closer bounds for the search.
  private func look(
    _ segment: Int, near guess: Int, for seq: UInt64, _ low: Probe, _ high: Probe,
    _ window: inout Window
  ) throws(LogError) -> Finding {
    let start = max(low.offset, guess - 3 << 10)
    let bytes = try bytes(segment, start..<min(high.offset, guess + 5 << 10))
    window = Window(bytes: bytes, start: start)
    return bytes.withUnsafeBufferPointer { bytes in
      var (low, high, isNarrower) = (low, high, false)
      var at = 0
      if start > low.offset {
        guard let next = Self.nextLine(bytes, 0) else { return .unclear }
        at = next
      }
      while at < bytes.count, let found = Self.position(bytes, at) {
        if found == seq { return .found(start + at) }
        if found > seq {
          high = Probe(offset: start + at, seq: found)
          return .between(low, high)
        }
        isNarrower = isNarrower || start + at > low.offset
        low = Probe(offset: start + at, seq: found)
        guard let next = Self.nextLine(bytes, at) else { break }
        at = next
      }
      return isNarrower ? .between(low, high) : .unclear
    }
  }

  /// Returns the offset after the first line feed at or after an offset; nil if there is none.
  private static func nextLine(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int) -> Int? {
    guard let base = bytes.baseAddress, from < bytes.count else { return nil }
    return firstLineFeed(base + from, bytes.count - from).map { $0 - UnsafeRawPointer(base) + 1 }
  }

  /// Returns the position that a line states; nil if the line does not have the encoder's layout.
  static func position(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt64? {
    guard bytes.count - at > 30, equal(bytes.baseAddress! + at, Envelope.seq.utf8Start, 7) else {
      return nil
    }
    var value: UInt64 = 0
    var index = at + 7
    while index < at + 26, bytes[index] &- UInt8(ascii: "0") < 10 {
      value = value * 10 + UInt64(bytes[index] &- UInt8(ascii: "0"))
      index += 1
    }
    return bytes[index] == UInt8(ascii: ",") ? value : nil
  }

  /// Returns the offset of the last line in a range for which `holds` returns true, by bisection.
  /// `holds` must return true for the first line. After a false result, it must stay false.
  private func search(
    _ segment: Int, _ from: Int, _ to: Int, _ holds: (SealedLine) -> Bool
  ) throws(LogError) -> Int {
    var low = from
    var high = to
    while true {
      let middle = low + (high - low) / 2
      var start = try lineStart(segment, before: middle)
      if start <= low {
        start = try lineEnd(segment, from: max(middle, low)) + 1
        if start >= high {
          // Only a few lines remain: check them one by one.
          start = try lineEnd(segment, from: low) + 1
          if start >= high { return low }
        }
      }
      if holds(try line(segment, start: start)) { low = start } else { high = start }
    }
  }
}

extension LogView {
  /// - Complexity: a few small reads for each position. Positions close to each other share reads.
  public func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError) {
    var cursor = LineCursor(self)
    for position in positions where try cursor.seek(position) {
      try cursor.withLine(at: position, body)
    }
  }
}

/// A cursor that moves forward through a log's lines, from one position to the next.
private struct LineCursor {
  private let view: LogView
  private(set) var segment = -1
  private var seq: UInt64 = 0
  /// The segment's bytes from the offset `start` on. The current line is at `at..<end` in them.
  private var window: [UInt8] = []
  private var start = 0
  private var at = 0
  private var end = 0
  /// Whether the cursor just jumped to a distant line and has read nothing since that jump.
  private var isFar = true

  /// The number of bytes to read at once while lines are read in sequence.
  private static let stride = 128 << 10
  /// The distance in bytes up to which reading on is cheaper than a search.
  private static let leap = 64 << 10

  init(_ view: LogView) { self.view = view }

  var offset: Int { start + at }

  /// Moves the cursor to the line at a position; returns false if there is none.
  mutating func seek(_ position: UInt64) throws(LogError) -> Bool {
    let isNear =
      segment >= 0 && position >= seq
      && (segment + 1 == view.segments.count || position < view.segments[segment + 1].first)
      && Int(position - seq) * max(end - at, 64) <= Self.leap
    if !isNear {
      var looked = LogView.Window()
      guard let place = try view.address(of: position, &looked) else { return false }
      (segment, seq, isFar) = (place.segment, position, true)
      (start, window) = (looked.start, looked.bytes)
      // The search has usually read this line, and the checksum of the previous line.
      if place.offset < start || place.offset >= start + window.count {
        (start, window) = (max(0, place.offset - sumLength - 1), [])
      }
      at = place.offset - start
      return try findEnd()
    }
    while seq < position {
      at = end + 1
      seq += 1
      if start + at >= view.segments[segment].size { return false }
      guard try findEnd() else { return false }
    }
    // False if the last seek already went beyond the log's end.
    return at < end
  }

  /// Finds the end of the current line; reads more bytes if needed. Returns false if there is no
  /// line.
  private mutating func findEnd() throws(LogError) -> Bool {
    var from = at
    while true {
      if from < window.count, let found = lineFeed(from) {
        end = found
        return true
      }
      from = max(window.count, at)
      let size = view.segments[segment].size
      let read = start + window.count
      if read >= size {
        end = window.count
        return at < end
      }
      if window.count - at > LineParser.longestLine { return false }
      // Keeps the previous line's checksum; earlier bytes are no longer needed.
      let keep = min(max(0, at - sumLength - 1), window.count)
      let count = min(isFar ? 4 << 10 : Self.stride, size - read)
      isFar = false
      try slide(from: keep, reading: count, at: read)
      (start, at, from) = (start + keep, at - keep, from - keep)
    }
  }

  /// Moves the window's bytes from index `keep` on to its start, and reads more bytes after them.
  private mutating func slide(
    from keep: Int, reading count: Int, at offset: Int
  ) throws(LogError) {
    let kept = window.count - keep
    if keep > 0 {
      window.withUnsafeMutableBytes { bytes in
        bytes.baseAddress!.copyMemory(from: bytes.baseAddress! + keep, byteCount: kept)
      }
    }
    let needed = kept + count
    if window.count > needed { window.removeLast(window.count - needed) }
    if window.count < needed { window += [UInt8](repeating: 0, count: needed - window.count) }
    try window.withUnsafeMutableBufferPointer { (bytes) throws(LogError) in
      try view.read(segment, at: offset, count: count, into: bytes.baseAddress! + kept)
    }
  }

  private func lineFeed(_ from: Int) -> Int? {
    window.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = firstLineFeed(base + from, bytes.count - from)
      else { return nil }
      return found - base
    }
  }

  func withLine(
    at position: UInt64, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError) {
    let previous = (try? view.sum(segment, before: offset, in: window, at)) ?? nil
    try window.withUnsafeBufferPointer { (bytes) throws(LogError) in
      try body(
        RawLine(
          position: position, bytes: UnsafeBufferPointer(rebasing: bytes[at..<end]),
          previousSum: previous, file: view.segments[segment].path, offset: offset, owner: nil))
    }
  }
}

extension LogView {
  /// Returns the checksum that the previous line states: from `window` if possible, without a read.
  fileprivate func sum(
    _ segment: Int, before offset: Int, in window: [UInt8], _ at: Int
  ) throws(LogError) -> UInt64? {
    guard at > sumLength else { return try sum(segment, before: offset) }
    return window.withUnsafeBufferPointer { recordedSum($0, before: at) }
  }
}
