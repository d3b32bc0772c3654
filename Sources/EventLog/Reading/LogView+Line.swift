import Events

extension LogView {
  /// The line that starts at an offset, parsed strictly, its sum checked.
  func line(_ segment: Int, start: Int) throws(LogError) -> SealedLine {
    let (bytes, previous) = try rawLine(segment, start: start)
    do throws(LineFault) {
      return try bytes.withUnsafeBufferPointer { (bytes) throws(LineFault) in
        try SealedLine(bytes, after: previous)
      }
    } catch {
      throw try damage(segment, start, error)
    }
  }

  /// The bytes of a line and the sum of the line before; most lines take a single read.
  private func rawLine(
    _ segment: Int, start: Int
  ) throws(LogError) -> (bytes: [UInt8], previous: UInt64?) {
    let lead = min(start, sumLength + 1)
    let window = try bytes(segment, start - lead..<min(segments[segment].size, start + 1 << 10))
    if let end = window[lead...].firstIndex(of: 0x0a), lead > sumLength {
      let previous = window.withUnsafeBufferPointer { recordedSum($0, before: lead) }
      return (Array(window[lead..<end]), previous)
    }
    let end = try lineEnd(segment, from: start)
    guard end - start <= LineParser.longestLine else {
      throw try damage(segment, start, LineFault(.tooLong(limit: LineParser.longestLine)))
    }
    return (try bytes(segment, start..<end), try sum(segment, before: start))
  }

  private func damage(
    _ segment: Int, _ start: Int, _ fault: LineFault
  ) throws(LogError) -> LogError {
    let number = try lineNumber(segment, start)
    return .damaged(
      Damage(
        file: segments[segment].path, line: number, offset: start,
        seq: segments[segment].first + UInt64(number) - 1, fault: fault))
  }

  /// Counts the lines before an offset; for messages only.
  private func lineNumber(_ segment: Int, _ offset: Int) throws(LogError) -> Int {
    var count = 1
    var at = 0
    while at < offset {
      let end = min(offset, at + 1 << 20)
      count += lineFeedCount(try bytes(segment, at..<end))
      at = end
    }
    return count
  }
}
