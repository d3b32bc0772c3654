import Events
import Synchronization

/// A key that the caller gives a command, so that a retry with the same key finds the first try.
///
/// The ids of the command's events, and of the entities that it creates, begin with the time, like
/// all ids. The rest of each id derives from the key.
///
/// ```swift
/// let key = IdempotencyKey(tail: 0x5eed, body: 0xb0d7)
/// ```
/// The log finds a key by its events' ids at any later time (`EventStore.event(idTail:)`), so it
/// needs no other record of keys.
public struct IdempotencyKey: Hashable, Sendable {
  /// The last 64 bits of the id of the command's first event. Their first two bits mark the id as a
  /// UUID.
  public let tail: UInt64
  /// A hash of the command's input, to detect the use of the same key for another input. The
  /// event's id contains 12 bits of it.
  public let body: UInt64

  /// Creates a key from two hashes.
  /// - Parameters:
  ///   - tail: 64 bits of a cryptographic hash of the key and its caller; 62 of the bits are used.
  ///   - body: 64 bits of a hash of the command's input.
  public init(tail: UInt64, body: UInt64) {
    self.tail = 0x8000_0000_0000_0000 | tail >> 2
    self.body = body
  }

  /// Checks the text that a caller gives as a key.
  /// - Throws: `InputError` for the field if it is not 1 to 255 printable ASCII characters.
  package static func check(_ text: String, _ field: String) throws(InputError) {
    guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
      throw InputError(field, "1 to 255 printable ASCII characters without spaces")
    }
  }

  /// Returns whether an event with this key's tail can come from a command with the same input. For
  /// a different input, the result is wrongly true with a chance of 1 in 4,096.
  package func mayHaveMade(_ event: RecordedEvent) -> Bool { event.id.high & 0xfff == body & 0xfff }

  /// Returns a function that generates the random bits of ids. The first id gets this key's tail;
  /// the bits of later ids derive from the tail.
  func source() -> @Sendable () -> (UInt64, UInt64) {
    let count = Atomic<UInt64>(0)
    return { [tail, body] in
      let (index, _) = count.wrappingAdd(1, ordering: .relaxed)
      if index == 0 { return (body, tail << 2) }
      var numbers = SplitMix64(seed: tail &+ index)
      return (body, numbers.next())
    }
  }

  /// Assigns ids that derive from the key to the events that have no id.
  func name(_ events: inout [NewEvent], _ time: Timestamp) {
    let random = source()
    for index in events.indices {
      let id = EventID(time: time, random: random())
      if events[index].id == nil { events[index].id = id }
    }
  }
}
