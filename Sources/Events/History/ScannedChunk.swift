/// A block of lines after its scan: its wanted lines, ready to be decoded.
public struct ScannedChunk: Sendable {
  package let block: LineBlock
  /// Nil for a block without lines.
  package let after: LineScanner?

  /// Checks the lines of a block, and finds those of some types.
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

  /// Where the chunk begins and ends; nil for one without lines.
  package var ends: ChunkEnds? { after.map { ChunkEnds(block, $0) } }

  /// How many bytes of the history this chunk stands for, for progress.
  public var byteCount: Int { block.byteCount }

  /// Calls `body` with each wanted line, without its line feed, and where its stream, revision and
  /// id stand.
  /// - Parameter body: gets nil for a line in another layout than the encoder's; it has to parse it
  ///   itself.
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

  /// The offset of a line in the block, by its number from 0; for messages only.
  func lineOffset(_ number: Int) -> Int {
    var at = block.range.lowerBound
    for _ in 0..<number {
      guard let feed = block.buffer.firstLineFeed(from: at, to: block.buffer.count) else { break }
      at = feed + 1
    }
    return at - block.range.lowerBound
  }
}

/// Where a chunk begins and ends, for the check that it follows another.
package struct ChunkEnds: Sendable {
  /// The position before its first line, and the sum that this line was checked with.
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

  /// What is wrong with its first line as the one after `head`; nil if nothing is.
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
