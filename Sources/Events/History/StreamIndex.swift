/// An index of a log's streams: each stream's revision, and the positions of its events after a
/// start position.
///
/// - Complexity: Memory is about 50 bytes for each stream, its name, and 4 bytes for each event.
///   Positions are at most 4,294,967,295.
package struct StreamIndex: Sendable {
  /// The largest number of events that the index of a log's writer can contain.
  package static let mostEvents = UInt64(UInt32.max)

  private var names = NameInterner()
  private var revisions: [UInt32] = []
  /// The position of each stream's last event, which may be before the indexed events.
  private var last: [UInt32] = []
  /// The position right before the first indexed event.
  private let start: UInt32
  /// For each indexed event, the position of the previous event in its stream; 0 if that is not
  /// known.
  private var previous: [UInt32] = []

  /// - Parameter position: The position right before the first event to index.
  package init(after position: UInt64 = 0) { start = UInt32(truncatingIfNeeded: position) }

  var streamCount: Int { names.count }

  /// Returns the revision of a stream's last event; nil for an unknown stream.
  package func revision(of stream: String) -> UInt64? {
    var stream = stream
    return stream.withUTF8 { names.find($0) }.map { UInt64(revisions[Int($0)]) }
  }

  /// Adds the log's next event to the index.
  /// - Parameter revision: The event's stream revision; nil means the next revision of the stream.
  /// - Returns: The event's stream revision, and the stream's number, which `removeLast` takes.
  @discardableResult
  package mutating func append(
    _ stream: UnsafeBufferPointer<UInt8>, revision: UInt64? = nil
  ) -> (revision: UInt64, stream: UInt32) {
    let number = intern(stream)
    let index = Int(number)
    revisions[index] = revision.map { UInt32(clamping: $0) } ?? revisions[index] + 1
    previous.append(last[index])
    last[index] = start + UInt32(previous.count)
    return (UInt64(revisions[index]), number)
  }

  @discardableResult
  package mutating func append(_ stream: String) -> (revision: UInt64, stream: UInt32) {
    var stream = stream
    return stream.withUTF8 { append($0) }
  }

  /// Records a stream whose last event is before the indexed events: the last event's stream
  /// revision and position.
  package mutating func note(_ stream: String, revision: UInt64, last position: UInt64) {
    var stream = stream
    let index = Int(stream.withUTF8 { intern($0) })
    revisions[index] = UInt32(clamping: revision)
    last[index] = UInt32(clamping: position)
  }

  private mutating func intern(_ stream: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let number = names.intern(stream)
    if Int(number) == revisions.count {
      revisions.append(0)
      last.append(0)
    }
    return number
  }

  /// Removes the last indexed event. `stream` is the number of the event's stream, which `append`
  /// returned.
  package mutating func removeLast(_ stream: UInt32) {
    revisions[Int(stream)] -= 1
    last[Int(stream)] = previous.removeLast()
  }

  /// Returns the positions of a stream's indexed events after a stream revision, in order. Also
  /// returns the stream revision before the first of these events. Returns nil for an unknown
  /// stream.
  package func positions(
    of stream: String, after revision: UInt64
  ) -> (positions: [UInt64], after: UInt64)? {
    var stream = stream
    guard let number = stream.withUTF8({ names.find($0) }) else { return nil }
    var result: [UInt64] = []
    var at = last[Int(number)]
    var current = UInt64(revisions[Int(number)])
    while at > start, current > revision {
      result.append(UInt64(at))
      at = previous[Int(at - start) - 1]
      current -= 1
    }
    return (result.reversed(), current)
  }
}
