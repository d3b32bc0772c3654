/// A scanned block of lines, whose wanted lines are ready to be decoded.
public struct ScannedChunk: Sendable {
  package let block: LineBlock
  /// The scanner after the scan; nil for a block without lines.
  package let after: LineScanner?

  /// Checks the lines of a block and finds those of the wanted types.
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

  /// The start and the end of the chunk; nil if it has no lines.
  package var ends: ChunkEnds? { after.map { ChunkEnds(block, $0) } }

  /// The number of the history's bytes that this chunk accounts for, for progress.
  public var byteCount: Int { block.byteCount }

  /// Calls `body` with each wanted line, without its line feed, and its stream, revision and id.
  /// - Parameter body: Receives nil as the last argument for a line in another layout than the
  ///   encoder's; it must parse such a line itself.
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

  /// Returns the offset of a line in the block, by its number from 0; for messages only.
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
  /// Reads and checks a chunk. `wanted` are the types whose lines will be decoded.
  /// - Complexity: O(the chunk's bytes).
  public func scan(_ chunk: Chunk, wanted: EventTypes) throws(LogError) -> ScannedChunk {
    ScannedChunk(try read(chunk), wanted: wanted)
  }
}

/// The start and the end of a chunk, for the check that it follows another.
package struct ChunkEnds: Sendable {
  /// The position before the first line, and the checksum that seeded that line's check.
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

  /// Returns the fault of the first line as the successor of `head`; nil if it is right.
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
