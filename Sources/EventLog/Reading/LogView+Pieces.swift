import Events

/// Dividing a log by byte offsets, so that several machines can each read a piece.
///
/// A piece is the lines that start within a range of the log's bytes. The offsets count through all
/// segments, in order. So the pieces of adjacent ranges have each line exactly once.
extension LogView {
  /// A piece of one segment.
  public struct Piece: Equatable, Sendable {
    /// The segment's path.
    public var file: String
    /// The range of the segment's bytes in which the piece's lines start.
    public var bytes: Range<Int>
    /// The event before the piece's first line.
    public var before: LogHead
  }

  /// Returns the log's pieces, each of about `size` bytes and within one segment.
  ///
  /// Each piece begins with a line, and states the event before it. A reader that gets this event
  /// checks that its piece continues the one before, even if the log was rewritten in between.
  /// - Complexity: O(pieces) small reads.
  public func pieces(of size: Int) throws(LogError) -> [Piece] {
    var pieces: [Piece] = []
    for (index, segment) in segments.enumerated() where segment.size > 0 {
      let count = max(1, (segment.size + size / 2) / size)
      var start = 0
      for number in 1...count {
        let wanted = segment.size / count * number
        let end =
          number == count
          ? segment.size : min(segment.size, try lineEnd(index, from: max(start, wanted - 1)) + 1)
        guard start < end else { continue }
        pieces.append(
          Piece(file: segment.path, bytes: start..<end, before: try head(index, before: start)))
        start = end
      }
    }
    return pieces
  }

  /// Returns the chunks of the lines that start within a range of the log's bytes, and the event
  /// before the first of them.
  /// - Throws: `.damaged` if the line before the range cannot be parsed. Its checksum is not
  ///   checked, because the reader of the piece before does that.
  public func chunks(
    bytes: Range<Int>
  ) throws(LogError) -> (chunks: [Chunk], before: LogHead) {
    let pool = BufferPool()
    var chunks: [Chunk] = []
    var before: LogHead?
    var base = 0
    for (index, segment) in segments.enumerated() {
      let start = max(bytes.lowerBound - base, 0)
      let end = min(bytes.upperBound - base, segment.size)
      base += segment.size
      guard start < end else { continue }
      if before == nil {
        let line = start == 0 ? 0 : try lineEnd(index, from: start - 1) + 1
        if line < segment.size { before = try head(index, before: line) }
      }
      for at in stride(from: start, to: end, by: Self.chunkSize) {
        let range = at..<min(at + Self.chunkSize, end)
        chunks.append(Chunk(segment: index, range: range, pool: pool))
      }
    }
    return (chunks, before ?? LogHead())
  }

  /// Returns the range of the log's bytes that has the events after a position, up to another one.
  public func bytes(after position: UInt64, until: UInt64) throws(LogError) -> Range<Int> {
    func offset(_ place: LineAddress?) -> Int {
      guard let place else { return size }
      return segments[..<place.segment].reduce(place.offset) { $0 + $1.size }
    }
    let start = position == 0 ? 0 : offset(try address(of: position &+ 1))
    return start..<max(start, until == .max ? size : offset(try address(of: until + 1)))
  }

  /// Returns the last event of the segment before the one that begins at `position`; nil if the
  /// folder does not have that segment.
  static func head(
    before position: UInt64, in folder: Substring, _ files: FileSystem
  ) throws(LogError) -> LogHead? {
    let path = folder.isEmpty ? "." : String(folder)
    let names = try io { () throws(FileError) in try files.list(path) }
    guard let name = names.last(where: { SegmentName.first($0).map { $0 < position } ?? false })
    else { return nil }
    let view = try LogView(segment: folder + name, after: LogHead(), files: files)
    return try view.head(0, before: view.segments[0].size)
  }

  /// Returns the position, time and checksum that the line before an offset states.
  private func head(_ segment: Int, before offset: Int) throws(LogError) -> LogHead {
    if offset == 0 {
      if let last = segments[..<segment].lastIndex(where: { $0.size > 0 }) {
        return try head(last, before: segments[last].size)
      }
      if segments[segment].first == 1 { return LogHead() }
      guard let before else {
        throw .notALog(
          path: segments[segment].path,
          reason: "the event before its first line is unknown; add --after SEQ:SUM")
      }
      return before
    }
    let hasLineFeed = !(segments[segment].lacksLineFeed && offset == segments[segment].size)
    let start = try lineStart(segment, before: hasLineFeed ? offset - 1 : offset)
    let line = try bytes(segment, start..<(hasLineFeed ? offset - 1 : offset))
    var parser = LineParser()
    var names = Names()
    do throws(LineFault) {
      return LogHead(try parser.parseSealed(line[...], names: &names).recorded)
    } catch {
      throw try damage(segment, start, error)
    }
  }
}
