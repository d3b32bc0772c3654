/// A block of lines after its scan: its wanted lines, ready to be decoded.
public struct ScannedChunk: Sendable {
  let block: LineBlock
  /// Nil for a block without lines.
  let after: LineScanner?

  /// Checks the lines of a block, and finds those of some types.
  /// - Complexity: O(bytes).
  init(_ block: LineBlock, wanted: EventTypes) {
    self.block = block
    if block.range.isEmpty {
      after = nil
      return
    }
    var scanner = LineScanner(after: LogHead(sum: block.previousSum ?? 0), wanted: wanted)
    if block.previousSum == nil { scanner.fail(LineFault(.wrongSum)) }
    block.withBytes { scanner.scan($0, knowsPosition: block.beginsHistory) }
    after = scanner
  }

  /// How many bytes of the history this chunk stands for, for progress.
  public var byteCount: Int { block.byteCount }

  /// Calls `body` with each wanted line, without its line feed, and where its stream, revision and
  /// id stand.
  /// - Parameter body: gets nil for a line in another layout than the encoder's; it has to parse it
  ///   itself.
  func forEachLine(
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
