/// A sequence of recorded events as it was at one moment; later appends do not change it.
///
/// Each event is a line, and each line has a checksum that also depends on the previous line's
/// checksum. `LogView` is the history of a log on disk. Replay, checkpoints, revisions, time
/// travel, `Check` and `WhatIf` work with any history.
///
/// A store must implement `name`, `size`, `head`, `chunks` and `read`. In a database with one row
/// for each line, these are a few queries by position. A store may also implement the other
/// requirements, if its own way is faster than the default.
///
/// ```swift
/// let history = log.history()
/// try history.forEachLine(after: 1) { line in
///   print(line.event.type)
///   return true
/// }
/// ```
/// All functions are synchronous, and any thread may call them.
public protocol History: Sendable {
  /// A reference to consecutive lines of the history that need not be in memory yet.
  associatedtype Chunk: Sendable

  /// The history's name in error messages, such as a path or an address.
  var name: String { get }

  /// The size of all lines in bytes, for showing progress; 0 if unknown.
  var size: Int { get }

  /// Returns the position, time and checksum of the last event; for an empty history, those of
  /// `LogHead()`.
  /// - Throws: `.damaged` if the last line is damaged.
  func head() throws(LogError) -> LogHead

  /// Returns chunks that contain the lines after `position` up to and including position `until`,
  /// in order.
  ///
  /// The chunks contain no other lines. If `until` is `.max`, they end at the last line. Chunks of
  /// a few hundred KiB are read fastest.
  func chunks(after position: UInt64, until: UInt64) throws(LogError) -> [Chunk]

  /// Returns the lines of a chunk without checking them. It can be called on any thread, and for
  /// chunks in any order.
  func read(_ chunk: Chunk) throws(LogError) -> LineBlock

  /// Calls `body` with the line at each of the positions, without checking the lines. The positions
  /// are in ascending order; those after the last line are ignored.
  ///
  /// The default implementation reads one chunk for each position. A store whose single reads are
  /// slow should fetch many lines at once.
  func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError)

  /// Returns the line at a position, after checking its checksum and its `seq`; nil if the position
  /// is after the last line.
  /// - Throws: `.damaged` if the line is not as it was written.
  func line(at position: UInt64) throws(LogError) -> SealedLine?

  /// Returns the position of the last event recorded at or before a time; 0 if there is none.
  func position(at time: Timestamp) throws(LogError) -> UInt64

  /// Returns the position of the event on which a bookmark was set.
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

  /// Finds the position by binary search; it reads O(log(number of events)) lines.
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

  /// Returns the position, time and checksum of the event at a position; those of an empty log at
  /// position 0.
  public func head(at position: UInt64) throws(LogError) -> LogHead {
    guard position > 0, let line = try line(at: position) else { return LogHead() }
    return LogHead(line.event)
  }
}
