/// A history of events that can be read: sealed lines, each with a sum that covers the line before
/// it too, as they are at one moment, whatever is appended meanwhile.
///
/// `LogView` is the one on disk. Replay, checkpoints, revisions, time travel, `Check` and `WhatIf`
/// take any, so a store elsewhere needs `name`, `size`, `head`, `chunks` and `read`, and gets all
/// else from these: for a table with a row for each line, some queries by position. The other
/// requirements are there for stores that can do better.
///
/// ```swift
/// let history = log.history()
/// try history.forEachLine(after: 1) { line in
///   print(line.event.type)
///   return true
/// }
/// ```
/// Reading is synchronous, from any thread.
public protocol History: Sendable {
  /// Where some consecutive lines are, which are not read yet.
  associatedtype Chunk: Sendable

  /// What messages call it: a path, an address.
  var name: String { get }

  /// The bytes of all lines, for progress; 0 if unknown.
  var size: Int { get }

  /// Position, time and sum of the last event; all zero for an empty history.
  /// - Throws: `.damaged` if the last line is damaged.
  func head() throws(LogError) -> LogHead

  /// Chunks that together, in their order, hold the lines after a position up to and with another,
  /// and no others; none if there are none. Some hundred KiB each are read fastest.
  /// - Parameter until: `.max` is the head.
  func chunks(after position: UInt64, until: UInt64) throws(LogError) -> [Chunk]

  /// Reads a chunk without checking it; the caller does. May be called on any thread, in any order.
  func read(_ chunk: Chunk) throws(LogError) -> LineBlock

  /// Calls `body` with the line at each of some ascending positions; those beyond the head are left
  /// out. The lines are not checked.
  ///
  /// The default reads one chunk for each position: if single reads are slow, fetch many at once.
  func forEachRawLine(
    at positions: some Sequence<UInt64>, _ body: (RawLine) throws(LogError) -> Void
  ) throws(LogError)

  /// The line at a position, its own sum and seq checked; nil beyond the head.
  /// - Throws: `.damaged` if it is not what was written.
  func line(at position: UInt64) throws(LogError) -> SealedLine?

  /// The position of the last event at or before a time; 0 if there is none.
  func position(at time: Timestamp) throws(LogError) -> UInt64

  /// The position that has a name.
  /// - Throws: `.noSuchRevision` if there is no such bookmark, or if it was set on another event.
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

  /// - Complexity: O(log events) lines.
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

  /// Reads and checks a chunk.
  /// - Parameter wanted: the types whose lines are to be decoded.
  /// - Complexity: O(its bytes).
  public func scan(_ chunk: Chunk, wanted: EventTypes) throws(LogError) -> ScannedChunk {
    ScannedChunk(try read(chunk), wanted: wanted)
  }

  /// The head of the history as of a position.
  public func head(at position: UInt64) throws(LogError) -> LogHead {
    guard position > 0, let line = try line(at: position) else { return LogHead() }
    return LogHead(line.event)
  }
}
