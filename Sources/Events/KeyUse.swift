/// The first use of a command's idempotency key: where and when the command was decided.
///
/// The ids of a command's events contain its key, so the log itself records the use. A shared log
/// also stores the uses of commands that appended nothing, so that no other machine repeats them.
public struct KeyUse: Equatable, Sendable {
  /// The key: the last 64 bits of the id of the command's first event, if there is one.
  public var tail: UInt64
  /// A hash of the command's input; nil if only the event's id, with 12 bits of the hash, is known.
  public var body: UInt64?
  /// The log's position when the command was decided.
  public var position: UInt64
  /// When the command was decided.
  public var time: Timestamp

  /// Creates a use.
  public init(tail: UInt64, body: UInt64?, position: UInt64, time: Timestamp) {
    (self.tail, self.body, self.position, self.time) = (tail, body, position, time)
  }

  /// Creates the use that an event with the key's tail proves.
  public init(_ event: RecordedEvent) {
    self.init(tail: event.id.low, body: nil, position: event.seq - 1, time: event.time)
  }
}
