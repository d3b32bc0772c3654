/// The first use of a command's key: where and when the command was decided.
///
/// A command that appended events is found by the ids of its events. A shared log also notes the
/// uses of commands that appended nothing, so that no other machine performs them again.
public struct KeyUse: Equatable, Sendable {
  /// The key: the last 64 bits of the id of the command's first event, if it has one.
  public var tail: UInt64
  /// A hash of the command's input; nil if only the event's id is known, which has 12 bits of it.
  public var body: UInt64?
  /// The position of the log at which the command was decided.
  public var position: UInt64
  public var time: Timestamp

  public init(tail: UInt64, body: UInt64?, position: UInt64, time: Timestamp) {
    (self.tail, self.body, self.position, self.time) = (tail, body, position, time)
  }

  /// The use that an event with the key's tail proves.
  public init(_ event: RecordedEvent) {
    self.init(tail: event.id.low, body: nil, position: event.seq - 1, time: event.time)
  }
}
