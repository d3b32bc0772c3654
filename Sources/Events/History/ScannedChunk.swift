/// A block of lines that was scanned. All its lines are checked, and the lines of the event types
/// that the caller wants can be decoded.
public struct ScannedChunk: Sendable {
  package let block: LineBlock
  /// The scanner with the results of the scan; nil for a block without lines.
  package private(set) var after: LineScanner?

  /// Checks the lines of a block and finds the lines whose event types are in `wanted`.
  /// - Complexity: O(bytes).
  package init(_ block: LineBlock, wanted: EventTypes, checksSums: Bool = true) {
    self.block = block
    if block.range.isEmpty {
      after = nil
      return
    }
    var scanner = LineScanner(
      after: LogHead(sum: block.previousSum ?? 0), wanted: wanted, checksSums: checksSums)
    if block.previousSum == nil { scanner.fail(LineFault(.wrongSum)) }
    block.withBytes { scanner.scan($0, knowsPosition: block.beginsHistory) }
    after = scanner
  }

  /// Removes the wanted lines that `filter` does not keep, so that they are not decoded.
  package mutating func keep(_ filter: LineFilter) {
    block.withBytes { bytes in
      if let base = bytes.baseAddress { after?.keep(filter, base) }
    }
  }

  /// The facts about the chunk's first and last event; nil if the chunk has no lines.
  package var ends: ChunkEnds? { after.map { ChunkEnds(block, $0) } }

  /// The number of bytes to count as read after this chunk, when showing progress.
  public var byteCount: Int { block.byteCount }

  /// Calls `body` with each wanted line, without its line feed, and with the line's stream,
  /// revision and id.
  /// - Parameter body: The last argument is nil for a line that is not in the encoder's layout;
  ///   `body` must then parse the line itself.
  package func forEachLine(
    _ body: (ScannedLine, UnsafeBufferPointer<UInt8>, LineHead?) throws(LogError) -> Void
  ) throws(LogError) {
    guard let after else { return }
    try block.withBytes { (bytes) throws(LogError) in
      for line in after.lines {
        let bytes = UnsafeBufferPointer(rebasing: bytes[line.start..<line.start + line.length])
        try body(line, bytes, LineHead(bytes, line.data))
      }
    }
  }

  /// Appends the wanted lines to a reader's columns, as rows.
  /// - Returns: The number of the first wrong line in the chunk, from 0, and its fault; nil if no
  ///   line is wrong. Reading stops at a wrong line.
  package func read(into reader: inout ColumnReader) -> (line: Int, fault: LineFault)? {
    guard let after else { return nil }
    return block.withBytes { bytes in
      for line in after.lines {
        let bytes = UnsafeBufferPointer(rebasing: bytes[line.start..<line.start + line.length])
        do throws(LineFault) {
          try reader.append(line, bytes)
        } catch {
          return (Int(clamping: line.moment.seq &- after.first.seq &- 1), error)
        }
      }
      return nil
    }
  }

  /// Returns the offset in the block of line `number`, counted from 0. Only error messages use it.
  func lineOffset(_ number: Int) -> Int {
    var at = block.range.lowerBound
    for _ in 0..<number {
      guard let feed = block.buffer.firstLineFeed(from: at, to: block.buffer.count) else { break }
      at = feed + 1
    }
    return at - block.range.lowerBound
  }
}

extension History {
  /// Reads a chunk of the history and checks its lines. `wanted` are the types whose lines will be
  /// decoded.
  /// - Complexity: O(the chunk's bytes).
  public func scan(_ chunk: Chunk, wanted: EventTypes) throws(LogError) -> ScannedChunk {
    ScannedChunk(try read(chunk), wanted: wanted)
  }
}

/// The facts about a chunk's first and last line that show whether the chunk follows another one.
package struct ChunkEnds: Sendable {
  /// The position of the event before the first line, and the checksum with which the first line
  /// was checked.
  var first: LogHead
  var firstTime: Timestamp
  package var last: LogHead
  var isEmpty: Bool
  package var beginsFile: Bool
  var firstInFile: UInt64

  init(_ block: LineBlock, _ scan: LineScanner) {
    (first, firstTime, last, isEmpty) = (scan.first, scan.firstTime, scan.last, scan.count == 0)
    (beginsFile, firstInFile) = (block.beginsFile, block.firstInFile)
  }

  /// Returns the fault of the chunk's first line if the chunk does not directly follow the event
  /// that `head` describes; nil if it does.
  package func fault(after head: LogHead) -> LineFault? {
    if isEmpty { return nil }
    if first.seq != head.seq || beginsFile && firstInFile != head.seq + 1 {
      return LineFault(.wrongSequence(expected: head.seq + 1), path: "seq")
    }
    if first.sum != head.sum { return LineFault(.wrongSum) }
    if firstTime < head.time { return LineFault(.timeGoesBack, path: "time") }
    return nil
  }
}
