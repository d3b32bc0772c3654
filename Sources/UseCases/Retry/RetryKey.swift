import EventLog
import Events
import Synchronization

/// Names a command so that a second try of it finds the first: its events, and whatever it makes,
/// have ids that derive from the key, with the time in front that all ids have.
///
/// ```swift
/// let key = RetryKey(tail: 0x5eed, body: 0xb0d7)
/// ```
/// The log can be asked for the key for ever (`EventStore.event(idTail:)`), so nothing else has to
/// be kept of a command that appended something.
public struct RetryKey: Hashable, Sendable {
  /// The last 64 bits of the id of the first event, of which the first two say that it is a UUID.
  public let tail: UInt64
  /// Of the input, to tell another use of the same key; 12 bits of it are in the id.
  public let body: UInt64

  /// - Parameters:
  ///   - tail: of a cryptographic hash of the key and of who gives it; 62 bits count.
  ///   - body: of a hash of the input.
  public init(tail: UInt64, body: UInt64) {
    self.tail = 0x8000_0000_0000_0000 | tail >> 2
    self.body = body
  }

  /// Whether an event that has the tail came from a command with the same input; of 4,096 other
  /// inputs, one passes too.
  func mayHaveMade(_ event: RecordedEvent) -> Bool { event.id.high & 0xfff == body & 0xfff }

  /// What ids are made of: the first has the tail, those after it derive from it.
  func source() -> @Sendable () -> (UInt64, UInt64) {
    let count = Atomic<UInt64>(0)
    return { [tail, body] in
      let (index, _) = count.wrappingAdd(1, ordering: .relaxed)
      if index == 0 { return (body, tail << 2) }
      var numbers = SplitMix64(seed: tail &+ index)
      return (body, numbers.next())
    }
  }

  /// Gives the events that do not name themselves their ids.
  func name(_ events: inout [NewEvent], _ time: Timestamp) {
    let random = source()
    for index in events.indices {
      let id = EventID(time: time, random: random())
      if events[index].id == nil { events[index].id = id }
    }
  }
}
