/// The end of a log: what the next line has to follow.
public struct LogHead: Equatable, Sendable {
  /// The position of the last event; 0 for an empty log.
  public var seq: UInt64
  /// When it was recorded.
  public var time: Timestamp
  /// The chained sum at the end of its line, which stands for every line up to it.
  public var sum: UInt64

  /// The head of the empty log, unless told otherwise.
  public init(seq: UInt64 = 0, time: Timestamp = .earliest, sum: UInt64 = 0) {
    self.seq = seq
    self.time = time
    self.sum = sum
  }

  /// The head of a log that ends in this event.
  public init(_ event: RecordedEvent) {
    self.init(seq: event.seq, time: event.time, sum: event.sum)
  }
}
