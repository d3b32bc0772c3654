/// A history of recorded events in memory. It encodes an event's line only when the line is read.
public struct RecordedHistory: History {
  private let events: [RecordedEvent]
  public let name: String

  /// Creates a history from all recorded events of a log, from position 1 on. Each event must have
  /// its checksum.
  public init(_ events: [RecordedEvent], name: String = "memory") {
    (self.events, self.name) = (events, name)
  }

  /// The size of the events' data in bytes. The size of the lines is not known, because they are
  /// created only when they are read.
  public var size: Int { events.reduce(0) { $0 + $1.data.count } }

  public func head() -> LogHead { events.last.map(LogHead.init) ?? LogHead() }

  public func chunks(after position: UInt64, until: UInt64) -> [Range<Int>] {
    let end = Int(clamping: min(until, UInt64(events.count)))
    let start = Int(clamping: min(position, UInt64(events.count)))
    return stride(from: start, to: end, by: 512).map { $0..<min($0 + 512, end) }
  }

  public func read(_ chunk: Range<Int>) -> LineBlock {
    let previous = chunk.lowerBound == 0 ? nil : line(chunk.lowerBound - 1)
    return LineBlock(chunk.map(line), after: previous, of: name)
  }

  /// Encodes the event at index `place` of the array and returns its line.
  private func line(_ place: Int) -> [UInt8] {
    events[place].line(after: place == 0 ? 0 : events[place - 1].sum)
  }
}
