import Events

extension LogView {
  /// - Complexity: a few small reads for each position; close positions share reads.
  public func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError) {
    var cursor = LineCursor(self)
    for position in positions where try cursor.seek(position) {
      try cursor.withLine(at: position, body)
    }
  }
}

/// A cursor that moves forward through a log from one position to the next.
private struct LineCursor {
  private let view: LogView
  private(set) var segment = -1
  private var seq: UInt64 = 0
  /// The segment's bytes from `start` on; the line is at `at..<end`.
  private var window: [UInt8] = []
  private var start = 0
  private var at = 0
  private var end = 0
  /// Whether nothing has been read since the last seek.
  private var isFar = true

  /// The number of bytes to read at once.
  private static let stride = 128 << 10
  /// The distance in bytes up to which reading on is cheaper than seeking.
  private static let leap = 64 << 10

  init(_ view: LogView) { self.view = view }

  var offset: Int { start + at }

  /// Moves to the line at a position; returns false if there is none.
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
      // The search has usually read the line, and the sum of the line before.
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
    // Beyond the end if the previous position was.
    return at < end
  }

  /// Finds the end of the line; reads more as needed.
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
      // Keep the sum of the line before; earlier bytes are no longer needed.
      let keep = min(max(0, at - sumLength - 1), window.count)
      let count = min(isFar ? 4 << 10 : Self.stride, size - read)
      isFar = false
      try slide(from: keep, reading: count, at: read)
      (start, at, from) = (start + keep, at - keep, from - keep)
    }
  }

  /// Moves the window's bytes from an index on to its start, and reads more after them.
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
  /// Returns the sum that the line before states, usually from the window.
  fileprivate func sum(
    _ segment: Int, before offset: Int, in window: [UInt8], _ at: Int
  ) throws(LogError) -> UInt64? {
    guard at > sumLength else { return try sum(segment, before: offset) }
    return window.withUnsafeBufferPointer { recordedSum($0, before: at) }
  }
}
