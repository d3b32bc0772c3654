import Events

/// The most that is asked of a log at once, in bytes.
let largestPage = 1 << 30

/// What a shared log lacks of a clone, and where the two differ.
extension FileLog {
  /// Appends to a shared log what it lacks of the log in a folder, a clone or one that becomes it.
  /// - Returns: how many events.
  /// - Throws: `RemoteFault.parted` if the shared log does not end at an event of this one.
  /// - Complexity: parsing the lines, and a round trip for each megabyte of them.
  public static func push(
    _ path: String, to remote: any RemoteLog, files: FileSystem = .posix,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(LogError) -> UInt64 {
    try await pushRules(path, to: remote, files)
    var pushed: UInt64 = 0
    var limit = 1 << 20
    while true {
      let (head, view) = (try await remote.head(), try LogView(path: path, files: files))
      let local = try view.head()
      let ours = try view.rewritings().entries.count
      if head.rewritings < ours { throw .remote(.forgotten(remote.name)) }
      if head.rewritings > ours { throw .rewritten(path: path) }
      if head.seq > local.seq, try await remote.sum(at: local.seq) == local.sum { return pushed }
      let known = head.seq == 0 ? LogHead() : try view.line(at: head.seq).map { LogHead($0.event) }
      guard var known, known.sum == head.sum else {
        throw try await parting(view, remote, head, local)
      }
      if known.seq == local.seq { return pushed }
      while known.seq < local.seq {
        let bytes = try view.lines(after: known.seq, limit: limit)
        let commits = try SealedCommits(bytes, after: known.seq, from: path).commits
        guard let last = commits.last?.events.last else {
          guard limit < largestPage else { throw .closed(reason: "a commit is too large to push") }
          limit *= 2
          continue
        }
        let group = RemoteGroup(after: known, commits)
        guard try await remote.append(group) == .appended else { break }
        pushed += last.seq - known.seq
        known = LogHead(last)
        progress(known.seq, local.seq)
      }
    }
  }

  /// Finds out from where on a clone and its remote differ.
  static func parting(
    _ view: LogView, _ remote: any RemoteLog, _ head: RemoteHead, _ local: LogHead
  ) async throws(LogError) -> LogError {
    func isCommon(_ position: UInt64) async throws(LogError) -> Bool {
      if position == 0 { return true }
      guard let theirs = try await remote.sum(at: position) else { return false }
      return try view.line(at: position)?.event.sum == theirs
    }
    if head.seq <= local.seq, try await isCommon(head.seq) {
      return .remote(.lost(remote.name, local: local.seq, remote: head.seq))
    }
    // Sums stand for all before them, so that the last common event is found by halving.
    var (low, high) = (UInt64(0), min(head.seq, local.seq) + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try await isCommon(middle) { low = middle } else { high = middle }
    }
    return .remote(
      .parted(remote.name, common: low, local: local.seq, remote: head.seq))
  }
}
