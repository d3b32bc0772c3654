import Events

/// The last event that a follower of a log has processed, as the follower keeps it outside the log.
///
/// The checksum shows whether the log still has this event. After a rewriting of the log, the other
/// fields show it (`Rewritings.carry`).
public struct SubscriptionPosition: Equatable, Sendable {
  /// The event's position in the log; 0 if the follower has processed no event.
  public var seq: UInt64
  /// The event's checksum.
  public var sum: UInt64
  /// The time at which the event was recorded; nil if it was not kept.
  public var time: Timestamp?
  /// The number of the log's rewritings before the position was kept; nil if it was not kept.
  public var rewritings: Int?

  /// Creates a position; by default, no event was processed.
  public init(seq: UInt64 = 0, sum: UInt64 = 0, time: Timestamp? = nil, rewritings: Int? = nil) {
    (self.seq, self.sum, self.time, self.rewritings) = (seq, sum, time, rewritings)
  }

  /// Creates the position of an event of a log.
  /// - Parameter rewritings: the number of the log's rewritings.
  public init(_ head: LogHead, rewritings: Int) {
    self.init(seq: head.seq, sum: head.sum, time: head.time, rewritings: rewritings)
  }
}

extension Rewritings {
  /// Returns the event of the log, as it is now, up to which a follower has processed the log.
  ///
  /// If the log was not rewritten since, this is the event with the position's checksum. A
  /// rewriting changes checksums, so then three facts show that the log had the event:
  /// - The ledger has a rewriting that changed the event's checksum.
  /// - The event's time is the same, or the one that a repair set in its place. If a repair left
  ///   the event out, the time lies between those of its neighbors.
  /// - If the event was the log's last one, the ledger has its checksum.
  ///
  /// If a repair left the event out, the result is the last event before it that the log has.
  /// - Parameter event: returns the log's event at a position; nil if there is none.
  /// - Returns: nil if the position belongs to another log. Also nil after a rewriting if the
  ///   position has no time and its event was not the log's last one, because then nothing shows
  ///   that the log had the event.
  public func carry(
    _ position: SubscriptionPosition, _ event: (UInt64) throws(LogError) -> LogHead?
  ) throws(LogError) -> LogHead? {
    if let now = try event(position.seq), now.sum == position.sum { return now }
    // A rewriting may have happened between reading the event and reading the number.
    for start in entries.indices where start >= position.rewritings ?? 0 {
      if let now = try carry(position, over: entries[start...], event) { return now }
    }
    return nil
  }

  private func carry(
    _ position: SubscriptionPosition, over missing: ArraySlice<Entry>,
    _ event: (UInt64) throws(LogError) -> LogHead?
  ) throws(LogError) -> LogHead? {
    var (seq, isChanged, isProven, isLost) = (position.seq, false, false, false)
    var known = position.time
    for entry in missing {
      if seq > entry.head { return nil }
      if seq < entry.first { continue }
      let isLostHere = entry.lost?.contains { $0.contains(seq) } ?? false
      if !isChanged, !isLostHere, seq == entry.head {
        guard position.sum == entry.before else { return nil }
        isProven = true
      }
      (isChanged, isLost) = (true, isLost || isLostHere)
      seq = entry.lost?.position(of: seq) ?? seq
      if let latest = entry.latest { known = known.map { min($0, latest) } }
    }
    guard isChanged, let now = try event(seq) else { return nil }
    guard let time = known else { return isProven && !isLost ? now : nil }
    if !isLost { return now.time == time ? now : nil }
    let next = try event(seq + 1)?.time ?? time
    return now.time <= time && time <= next ? now : nil
  }
}

extension [ClosedRange<UInt64>] {
  /// Returns the position, in a log without the events at these positions, of the last remaining
  /// event up to a position of the log with these events.
  func position(of seq: UInt64) -> UInt64 {
    let before = map { range in
      seq < range.lowerBound ? 0 : Swift.min(seq, range.upperBound) - range.lowerBound + 1
    }
    return seq - before.reduce(0, +)
  }
}

extension LogView {
  /// Returns the event of the log up to which a follower has processed the log; nil if the position
  /// belongs to another log. See `Rewritings.carry`.
  public func carry(_ position: SubscriptionPosition) throws(LogError) -> LogHead? {
    let head = try self.head().seq
    func event(_ seq: UInt64) throws(LogError) -> LogHead? {
      seq > head ? nil : try self.head(at: seq)
    }
    // Usually the log was not rewritten, and its ledger need not be read.
    if let now = try event(position.seq), now.sum == position.sum { return now }
    return try rewritings().carry(position, event)
  }
}
