/// Some events in a row: enough for the cache misses of looking ahead to overlap, few enough for
/// what that brought to be in the cache still.
public struct EventBatch: ~Copyable {
  private static let limit = 64

  public private(set) var events: [Event] = []
  public private(set) var moments: [Moment] = []

  init() {
    events.reserveCapacity(Self.limit)
    moments.reserveCapacity(Self.limit)
  }

  var isEmpty: Bool { events.isEmpty }
  var isFull: Bool { events.count >= Self.limit }

  mutating func append(_ event: borrowing Event, _ moment: Moment) {
    events.append(copy event)
    moments.append(moment)
  }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    moments.removeAll(keepingCapacity: true)
  }
}
