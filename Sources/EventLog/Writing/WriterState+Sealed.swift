import Events

extension WriterState {
  /// Plans lines of another log as they are, up to the first commit that does not continue this
  /// one.
  mutating func plan(sealed commits: [SealedCommit]) -> Plan {
    var results: [Result<Appended, LogError>] = []
    for commit in commits {
      do throws(LogError) {
        try checkRoom(for: commit.events.count)
        try check(commit)
        let first = head.seq + 1
        add(commit.events, lines: commit.lines)
        results.append(.success(Appended(first: first, last: head.seq, isRepeat: false)))
      } catch {
        results.append(.failure(error))
        break
      }
    }
    return (results, head.seq > durable.seq)
  }

  /// Checks what `verify` checks: right sums only say that the lines belong together, not that
  /// their log was valid.
  private mutating func check(_ commit: SealedCommit) throws(LogError) {
    if let first = commit.events.first, first.seq != head.seq + 1 {
      throw .conflict(
        Conflict(stream: nil, expected: .exact(first.seq - 1), actual: head.seq))
    }
    var reached = head
    var revisions: [String: UInt64] = [:]
    for (offset, event) in commit.events.enumerated() {
      let line = commit.lines[offset]
      guard event.seq == reached.seq + 1, rightSum(line, after: reached.sum) == event.sum
      else { throw .invalidEvent(LineFault(.wrongSum)) }
      if reached.seq > 0, event.time < reached.time {
        throw .timeGoesBack(last: reached.time, given: event.time)
      }
      let before =
        if let known = revisions[event.stream] { known } else {
          try self.revision(of: event.stream)
        }
      let revision = before + 1
      guard event.rev == revision else {
        throw .invalidEvent(LineFault(.wrongRevision(expected: revision), path: "rev"))
      }
      revisions[event.stream] = revision
      let place =
        commit.events.count > 1 ? Batch(index: offset + 1, count: commit.events.count) : nil
      guard event.batch == place else {
        throw .invalidEvent(LineFault(.brokenBatch, path: "batch"))
      }
      reached = LogHead(event)
    }
  }
}
