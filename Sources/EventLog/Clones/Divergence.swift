import Events

extension FileLog {
  /// Returns the error for a clone and a shared log that differ. The error names the last event
  /// that both logs have.
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
    // A line's checksum depends on all earlier lines, so bisection finds the last common event.
    var (low, high) = (UInt64(0), min(head.seq, local.seq) + 1)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if try await isCommon(middle) { low = middle } else { high = middle }
    }
    return .remote(
      .parted(remote.name, common: low, local: local.seq, remote: head.seq))
  }
}
