import Events

extension LogView {
  /// Returns the positions of a request's events, ascending. They are the events whose lines have
  /// the request's id in the field `correlation`, right before the checksum.
  ///
  /// - Throws: `.damaged`, `.file`, for the lines that it reads.
  /// - Complexity: in a log with a checkpoint of the writer's index, some of the checkpoint's
  ///   pages, a line for each event found, and O(lines after the checkpoint). Otherwise O(lines).
  public func positions(of correlation: CorrelationID) throws(LogError) -> [UInt64] {
    var found: [UInt64] = []
    var head = LogHead()
    if let indexed = WriterIndex.Base(of: self) {
      var text = correlation.text
      let hash = text.withUTF8 { indexed.hashing.hash($0) }
      if let candidates = indexed.file.checked(indexed.correlations.positions(of: hash)) {
        for seq in candidates where try line(at: seq)?.event.correlation == correlation {
          found.append(seq)
        }
        head = indexed.head
      }
    }
    let wanted = Array(correlation.text.utf8)
    var consumer = ChunkConsumer(after: head, unknown: .skip)
    for chunk in try chunks(after: head.seq, until: .max) {
      let chunk = try scan(chunk, wanted: .all)
      try consumer.join(chunk)
      try consumer.finish(chunk)
      try chunk.forEachLine { (line, bytes, _) throws(LogError) in
        if LineHead.correlation(bytes)?.elementsEqual(wanted) == true {
          found.append(line.moment.seq)
        }
      }
    }
    return found
  }
}
