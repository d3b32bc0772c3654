import Events
import Synchronization

/// A key of a command, by which a retry finds the first try.
///
/// The ids of its events and of the entities that it creates begin with the time, like all ids; the
/// rest derives from the key.
///
/// ```swift
/// let key = IdempotencyKey(tail: 0x5eed, body: 0xb0d7)
/// ```
/// The log finds a key forever (`EventStore.event(idTail:)`): no other record is needed.
public struct IdempotencyKey: Hashable, Sendable {
  /// The last 64 bits of the first event's id; the first two bits mark it as a UUID.
  public let tail: UInt64
  /// A hash of the input, to detect another use of the same key; 12 bits of it are in the id.
  public let body: UInt64

  /// Creates a key from two hashes.
  /// - Parameters:
  ///   - tail: part of a cryptographic hash of the key and its caller; 62 bits are used.
  ///   - body: part of a hash of the input.
  public init(tail: UInt64, body: UInt64) {
    self.tail = 0x8000_0000_0000_0000 | tail >> 2
    self.body = body
  }

  /// Returns whether an event with the tail came from a command with the same input. A different
  /// input has a 1 in 4,096 chance to pass.
  func mayHaveMade(_ event: RecordedEvent) -> Bool { event.id.high & 0xfff == body & 0xfff }

  /// Returns a source of ids: the first has the tail, and the others derive from it.
  func source() -> @Sendable () -> (UInt64, UInt64) {
    let count = Atomic<UInt64>(0)
    return { [tail, body] in
      let (index, _) = count.wrappingAdd(1, ordering: .relaxed)
      if index == 0 { return (body, tail << 2) }
      var numbers = SplitMix64(seed: tail &+ index)
      return (body, numbers.next())
    }
  }

  /// Gives ids to the events that have none.
  func name(_ events: inout [NewEvent], _ time: Timestamp) {
    let random = source()
    for index in events.indices {
      let id = EventID(time: time, random: random())
      if events[index].id == nil { events[index].id = id }
    }
  }
}
