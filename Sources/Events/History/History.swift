/// A readable history of events at one moment; later appends do not change it.
///
/// Its lines are sealed: each has a checksum that also covers the previous line. `LogView` is the
/// history of a log on disk. Replay, checkpoints, revisions, time travel, `Check` and `WhatIf` work
/// with any history.
///
/// A store has to implement `name`, `size`, `head`, `chunks` and `read`: for a table with a row for
/// each line, some queries by position. A store may implement the other requirements if it can do
/// them faster.
///
/// ```swift
/// let history = log.history()
/// try history.forEachLine(after: 1) { line in
///   print(line.event.type)
///   return true
/// }
/// ```
/// Reading is synchronous and possible on any thread.
public protocol History: Sendable {
  /// A reference to consecutive lines that are not read yet.
  associatedtype Chunk: Sendable

  /// The history's name in messages, such as a path or an address.
  var name: String { get }

  /// The size of all lines in bytes, for progress; 0 if unknown.
  var size: Int { get }

  /// Returns the position, time and checksum of the last event; all zero for an empty history.
  /// - Throws: `.damaged` if the last line is damaged.
  func head() throws(LogError) -> LogHead

  /// Returns chunks with the lines after `position` up to and including `until`, in order.
  ///
  /// They contain no other lines. An `until` of `.max` means the head. Chunks of some hundred KiB
  /// are read fastest.
  func chunks(after position: UInt64, until: UInt64) throws(LogError) -> [Chunk]

  /// Reads a chunk without checking it; callable on any thread and in any order.
  func read(_ chunk: Chunk) throws(LogError) -> LineBlock

  /// Calls `body` with the unchecked lines at ascending positions; ignores positions after the
  /// head.
  ///
  /// The default implementation reads one chunk for each position. If single reads are slow, fetch
  /// many at once.
  func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError)

  /// Returns the line at a position after checking its checksum and `seq`; nil beyond the head.
  /// - Throws: `.damaged` if the line is not as it was written.
  func line(at position: UInt64) throws(LogError) -> SealedLine?

  /// Returns the position of the last event at or before a time; 0 if there is none.
  func position(at time: Timestamp) throws(LogError) -> UInt64

  /// Returns the position of a bookmark.
  /// - Throws: `.noSuchRevision` if the bookmark does not exist or was set on another event.
  func position(ofBookmark name: String) throws(LogError) -> UInt64
}

extension History {
  public func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError) {
    for position in positions where position > 0 {
      for chunk in try chunks(after: position - 1, until: position) {
        if let line = try read(chunk).rawLine(at: position) { try body(line) }
      }
    }
  }

  public func line(at position: UInt64) throws(LogError) -> SealedLine? {
    var found: SealedLine?
    try forEachRawLine(at: CollectionOfOne(position)) { (raw) throws(LogError) in
      do throws(LineFault) {
        let line = try SealedLine(raw.bytes, after: raw.previousSum)
        guard line.event.seq == position else {
          throw LineFault(.wrongSequence(expected: position), path: "seq")
        }
        found = line
      } catch {
        throw raw.damage(error)
      }
    }
    return found
  }

  /// Finds the position by binary search, which reads O(log events) lines.
  public func position(at time: Timestamp) throws(LogError) -> UInt64 {
    let positions = 1..<Int(try head().seq) + 1
    let after = try positions.lowerBound { (position) throws(LogError) in
      try line(at: UInt64(position)).map { $0.event.time <= time } ?? false
    }
    return UInt64(after) - 1
  }

  public func position(ofBookmark name: String) throws(LogError) -> UInt64 {
    throw .noSuchRevision(.noSuchBookmark(name, known: []))
  }

  /// Returns the head that the history had at a position.
  public func head(at position: UInt64) throws(LogError) -> LogHead {
    guard position > 0, let line = try line(at: position) else { return LogHead() }
    return LogHead(line.event)
  }
}
