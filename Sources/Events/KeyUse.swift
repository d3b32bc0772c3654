/// The first use of an idempotency key by a command: the log's last position and the time when the
/// command was decided.
///
/// The ids of a command's events contain the key, so the log itself records the use. A log shared
/// by several machines also stores the key uses of commands that appended nothing. So no other
/// machine performs these commands again.
public struct KeyUse: Equatable, Sendable {
  /// The key as a number. If the command appended events, it is also the last 64 bits of the first
  /// event's id.
  public var tail: UInt64
  /// A hash of the command's input. It is nil if the key use was read from an event's id, which
  /// contains only 12 bits of the hash.
  public var body: UInt64?
  /// The position of the log's last event when the command was decided.
  public var position: UInt64
  /// The time at which the command was decided.
  public var time: Timestamp
  /// The command's answer as JSON, on one line; nil if it was not recorded or has been erased.
  public var answer: String?

  /// Creates a key use from its values.
  public init(
    tail: UInt64, body: UInt64?, position: UInt64, time: Timestamp, answer: String? = nil
  ) {
    (self.tail, self.body, self.position, self.time) = (tail, body, position, time)
    self.answer = answer
  }

  /// Creates a key use from the first event that a command appended. The event's id contains the
  /// key.
  public init(_ event: RecordedEvent) {
    self.init(tail: event.id.low, body: nil, position: event.seq - 1, time: event.time)
  }

  /// Returns whether two values describe the same use. Ignores the answers, because one of them may
  /// have been erased.
  public func isSame(as other: KeyUse) -> Bool {
    tail == other.tail && body == other.body && position == other.position && time == other.time
  }
}
