#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension LogView {
  /// Calls `body` with the events at some positions, which have to ascend; what is beyond the head
  /// or of an unknown type is left out.
  /// - Throws: `.damaged` where one of the lines is not what was written.
  /// - Complexity: for positions close together the lines between them are read over, some
  ///   gigabytes a second; else a few small reads a position. Two microseconds an event.
  public func forEachEvent(
    at positions: some Sequence<UInt64>, _ names: inout Names,
    _ body: (KnownEvent) throws(LogError) -> Void
  ) throws(LogError) {
    var cursor = LineCursor(self)
    var parser = LineParser()
    for position in positions {
      guard try cursor.seek(position) else { continue }
      // Damage is told by the reader that knows how.
      guard let found = cursor.event(&parser, &names), found.moment.seq == position else {
        if let line = try line(at: position), EventType(wireName: line.event.type) != nil,
          line.event.version == 1
        {
          throw .damaged(
            Damage(
              file: segments[cursor.segment].path, line: 0, offset: cursor.offset, seq: position,
              fault: LineFault(.wrongSum)))
        }
        continue
      }
      try body(found)
    }
  }
}

/// Goes forward through a log from one position to another, over what lies between.
private struct LineCursor {
  private let view: LogView
  private(set) var segment = -1
  /// The position of the line that the cursor is at.
  private var seq: UInt64 = 0
  /// Bytes of the segment from `start` on, with the line at `at`, to but not with `end`.
  private var window: [UInt8] = []
  private var start = 0
  private var at = 0
  private var end = 0

  /// What is read at once, and how far it pays to read over what is not asked for.
  private static let stride = 128 << 10
  private static let leap = 64 << 10

  init(_ view: LogView) { self.view = view }

  var offset: Int { start + at }

  /// Goes to the line at a position; false if there is none.
  mutating func seek(_ position: UInt64) throws(LogError) -> Bool {
    let isNear =
      segment >= 0 && position >= seq
      && (segment + 1 == view.segments.count || position < view.segments[segment + 1].first)
      && Int(position - seq) * max(end - at, 64) <= Self.leap
    if !isNear {
      guard let place = try view.place(of: position) else { return false }
      (segment, seq) = (place.segment, position)
      // The sum of the line before is read with the line.
      start = max(0, place.offset - sumLength - 1)
      window = []
      at = place.offset - start
      return try findEnd()
    }
    while seq < position {
      at = end + 1
      seq += 1
      if start + at >= view.segments[segment].size { return false }
      guard try findEnd() else { return false }
    }
    return true
  }

  /// Finds where the line ends, reading on as far as needed.
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
      // What lies before the sum of the line before is not needed any more.
      let keep = min(max(0, at - sumLength - 1), window.count)
      let count = min(window.isEmpty ? 4 << 10 : Self.stride, size - read)
      try slide(from: keep, reading: count, at: read)
      (start, at, from) = (start + keep, at - keep, from - keep)
    }
  }

  /// Moves the window's bytes from an index on to its beginning, and reads more after them.
  private mutating func slide(
    from keep: Int, reading count: Int, at offset: Int
  ) throws(LogError) {
    let kept = window.count - keep
    if keep > 0 {
      window.withUnsafeMutableBytes { bytes in
        _ = memmove(bytes.baseAddress!, bytes.baseAddress! + keep, kept)
      }
    }
    let needed = kept + count
    if window.count > needed { window.removeLast(window.count - needed) }
    if window.count < needed { window += [UInt8](repeating: 0, count: needed - window.count) }
    var failure: LogError?
    window.withUnsafeMutableBytes { bytes in
      do throws(LogError) {
        try view.read(segment, at: offset, count: count, into: bytes.baseAddress! + kept)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func lineFeed(_ from: Int) -> Int? {
    window.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = memchr(base + from, 0x0a, bytes.count - from)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// The event of the line, if it is what was written.
  func event(_ parser: inout LineParser, _ names: inout Names) -> KnownEvent? {
    guard let previous = try? view.sum(segment, before: start + at, in: window, at) else {
      return nil
    }
    return window.withUnsafeBufferPointer { bytes -> KnownEvent? in
      let line = UnsafeBufferPointer(rebasing: bytes[at..<end])
      guard let base = line.baseAddress, line.count > sumLength,
        let sum = recordedSum(base, line.count),
        XXH64.hash(base, line.count - sumLength, seed: previous) == sum
      else { return nil }
      if let known = LineParser.known(line, &names) { return known }
      guard let (parsed, event) = try? parser.parse(line, names: &names), let event,
        let actor = try? names.user(parsed.actor), let seq = parsed.seq, let time = parsed.time,
        let id = parsed.id
      else { return nil }
      return KnownEvent(
        event: event, moment: Moment(seq: seq, time: time), actor: actor, id: id,
        cause: parsed.cause)
    }
  }
}

extension LogView {
  /// The sum that the line before recorded, which is in the window as a rule.
  fileprivate func sum(
    _ segment: Int, before offset: Int, in window: [UInt8], _ at: Int
  ) throws(LogError) -> UInt64? {
    guard at > sumLength else { return try sum(segment, before: offset) }
    return window.withUnsafeBufferPointer { bytes in
      bytes[at - 1] == 0x0a
        ? recordedSum(bytes.baseAddress! + at - 1 - sumLength, sumLength) : nil
    }
  }
}
