import Events

/// What a writer needs from its view, and how the view follows what is written.
extension LogView {
  /// Checks that an empty last segment is named after the next event.
  ///
  /// Every opening of a log calls this. A damaged last line is reported by the reader of that line.
  func checkEmptySegment() throws(LogError) {
    guard let last = segments.last, last.size == 0 else { return }
    let head: LogHead
    do throws(LogError) {
      head = try self.head()
    } catch {
      if case .damaged = error { return }
      throw error
    }
    try checkEmptySegment(after: head)
  }

  /// The same if the last event is known.
  func checkEmptySegment(after head: LogHead) throws(LogError) {
    guard let last = segments.last, last.size == 0, last.first != head.seq + 1 else { return }
    throw .damaged(
      Damage(
        file: last.path, line: 0, offset: 0, seq: head.seq + 1,
        fault: LineFault(.wrongSequence(expected: head.seq + 1))))
  }

  /// After recovery: the tail is gone, and a missing line feed is there.
  mutating func finishRecovery() {
    if let last = segments.indices.last, segments[last].lacksLineFeed {
      segments[last].lacksLineFeed = false
      segments[last].size += 1
    }
    tail = .none
  }

  /// After a group was written: the last segment is longer, and there may be new segments.
  mutating func grow(_ group: inout WriteGroup) {
    var from = 0
    for (index, cut) in group.cuts.enumerated() {
      if let last = segments.indices.last { segments[last].size += cut.offset - from }
      from = cut.offset
      segments.append(group.begun[index])
    }
    if let last = segments.indices.last {
      segments[last].size += group.bytes.count - from
      segments[last].end = group.head.seq + 1
    }
  }
}
