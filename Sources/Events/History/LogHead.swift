/// The position, time and checksum of a log's last event. The next line is checked against these
/// three values.
public struct LogHead: Equatable, Sendable {
  /// The position of the last event; 0 for an empty log.
  public var seq: UInt64
  /// The time at which the last event was recorded.
  public var time: Timestamp
  /// The checksum of the last line. It covers all lines, because each checksum depends on the
  /// previous one.
  public var sum: UInt64

  /// Creates a head from its values; the default values are those of an empty log.
  public init(seq: UInt64 = 0, time: Timestamp = .earliest, sum: UInt64 = 0) {
    (self.seq, self.time, self.sum) = (seq, time, sum)
  }

  /// Creates the head of a log whose last event is this event.
  public init(_ event: RecordedEvent) {
    self.init(seq: event.seq, time: event.time, sum: event.sum)
  }
}
