/// The end of a log: what the next line has to follow.
public struct LogHead: Equatable, Sendable {
  public var seq: UInt64 = 0
  public var time: Timestamp = .earliest
  public var sum: UInt64 = 0

  /// The head of the empty log.
  public init() {}

  init(seq: UInt64 = 0, time: Timestamp = .earliest, sum: UInt64) {
    self.seq = seq
    self.time = time
    self.sum = sum
  }
}
