import Events

/// Copies a rewriting of the shared log into a clone's folder. It replaces the lines from the first
/// changed line on, and the ledger of rewritings, all or none.
struct RewritingReplication {
  let folder: String
  let files: FileSystem

  /// Copies the shared log's new rewritings into the folder. First finishes a rewriting of the
  /// folder that was interrupted.
  /// - Throws: `.locked` if another process has the log open; `RemoteFault`.
  func perform(from remote: any RemoteLog) async throws(LogError) {
    let lock = try WriterLock(folder, files)
    defer { lock.release() }
    try PendingRewriting.settle(folder, files)
    let theirs = try await remote.head().rewritings
    let ours = try Rewritings(folder: folder, files: files)
    if theirs < ours.entries.count { throw .remote(.forgotten(remote.name)) }
    if theirs == ours.entries.count { return }
    let ledger = try await remote.rewritings()
    guard ledger.entries.count >= theirs, ledger.entries.starts(with: ours.entries) else {
      throw .remote(
        .noLog(remote.name, reason: "its ledger of rewritings does not continue the clone's"))
    }
    let first = ledger.entries[ours.entries.count...].map(\.first).min() ?? 1
    // `FileLog.pull` fetches later events afterwards. Recovery removes the folder's own incomplete
    // last commit.
    _ = try Recovery(of: try LogView(path: folder, files: files), files)
    let view = try LogView(path: folder, files: files)
    let head = try view.head()
    let now = try await event(at: head.seq, of: remote)
    let position = SubscriptionPosition(head, rewritings: ours.entries.count)
    if now.sum != head.sum,
      let repair = ledger.repair(after: ours.entries.count, upTo: head.seq)
    {
      throw .remote(.repaired(remote.name, first: repair.first))
    }
    guard try ledger.carry(position, { (_) throws(LogError) in now }) != nil else {
      throw try await FileLog.parting(view, remote, try await remote.head(), head)
    }
    // The ledger does not name the erased people, so the journal of refused commands ends here.
    let refusals = folder + "/refusals"
    for name in try ifPresent(files.list(refusals)) ?? [] {
      try io(files.remove(refusals + "/" + name))
    }
    try await replace(from: first, through: head.seq, ledger) {
      (position, limit) async throws(LogError) in
      try await remote.lines(after: position, limit: limit)
    }
  }

  /// Returns the shared log's event at a position; an empty log's head if there is none.
  private func event(
    at position: UInt64, of remote: any RemoteLog
  ) async throws(LogError) -> LogHead {
    guard position > 0 else { return LogHead() }
    let bytes = try await remote.lines(after: position - 1, limit: 1)
    var parser = LineParser()
    var names = Names()
    guard let line = bytes.split(separator: UInt8(ascii: "\n")).first else { return LogHead() }
    do throws(LineFault) {
      return LogHead(try parser.parseSealed(line, names: &names).recorded)
    } catch {
      throw .remote(.damaged(remote.name, seq: position, error))
    }
  }

  /// Replaces the lines from a position on, and the ledger. The caller must hold the folder's lock.
  /// - Parameters:
  ///   - last: the last position to write; the folder's later lines are dropped.
  ///   - lines: returns whole lines after a position, like `RemoteLog.lines`.
  /// - Throws: `.damaged` if the new lines do not continue the folder's earlier lines.
  func replace(
    from first: UInt64, through last: UInt64, _ ledger: Rewritings,
    _ lines: (UInt64, Int) async throws(LogError) -> [UInt8]
  ) async throws(LogError) {
    try await PendingRewriting.perform(folder, files) { (pending) async throws(LogError) in
      let view = try LogView(path: folder, files: files)
      var marks = try Bookmarks(view)?.all() ?? []
      if first <= last {
        try await write(first, last, view, &pending, lines) { seq, sum in
          for index in marks.indices where marks[index].seq == seq { marks[index].sum = sum }
        }
      }
      try pending.write(ledger.text, Rewritings.fileName)
      if !marks.isEmpty { try pending.write(Bookmarks.text(marks), Bookmarks.fileName) }
    }
  }

  private func write(
    _ first: UInt64, _ last: UInt64, _ view: LogView, _ pending: inout PendingRewriting,
    _ lines: (UInt64, Int) async throws(LogError) -> [UInt8],
    _ note: (_ seq: UInt64, _ sum: UInt64) -> Void
  ) async throws(LogError) {
    var out = ReplacementSegmentWriter(view, files)
    var (segment, sum) = try out.begin(at: first, &pending)
    var seq = first - 1
    while seq < last {
      let bytes = try await lines(seq, 4 << 20)
      if bytes.isEmpty { throw wrong(seq + 1, LineFault(.wrongSequence(expected: seq + 1))) }
      for line in bytes.split(separator: UInt8(ascii: "\n")) where seq < last {
        let next = line.withUnsafeBufferPointer { rightSum($0, after: sum) }
        guard let next else { throw wrong(seq + 1, LineFault(.wrongSum)) }
        (seq, sum) = (seq + 1, next)
        // Each new segment begins with the same event as the old one.
        if segment + 1 < view.segments.count, view.segments[segment + 1].first == seq {
          segment += 1
          try out.begin(segment, &pending)
        }
        line.withUnsafeBufferPointer { out.out.append($0) }
        out.out.append(UInt8(ascii: "\n"))
        note(seq, sum)
      }
      try out.flushIfFull()
    }
    try out.end()
  }

  private func wrong(_ seq: UInt64, _ fault: LineFault) -> LogError {
    .damaged(Damage(file: folder, line: 0, offset: 0, seq: seq, fault: fault))
  }
}
