/// The revisions of all streams and the positions of their events, for events after a position.
///
/// - Complexity: Memory is about 50 bytes a stream besides its name, and 4 bytes an event.
///   Positions are at most 4,294,967,295.
package struct StreamIndex: Sendable {
  /// The largest number of events that a writer can index.
  package static let mostEvents = UInt64(UInt32.max)

  private var names = NameTable()
  private var revisions: [UInt32] = []
  /// The position of each stream's last event; it may be before the indexed events.
  private var last: [UInt32] = []
  /// The position before the first indexed event.
  private let start: UInt32
  /// For each event the position of the previous one in its stream; 0 if it is not known.
  private var previous: [UInt32] = []

  /// - Parameter position: The position before the first event to index.
  package init(after position: UInt64 = 0) { start = UInt32(truncatingIfNeeded: position) }

  var streamCount: Int { names.count }

  /// Returns the revision of a stream; nil for an unknown stream.
  package func revision(of stream: String) -> UInt64? {
    var stream = stream
    return stream.withUTF8 { names.find($0) }.map { UInt64(revisions[Int($0)]) }
  }

  /// Adds the next event of the log.
  /// - Parameter revision: The event's revision; nil means the stream's next one.
  /// - Returns: The event's revision, and the stream's number for `removeLast`.
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

  /// Records the revision of a stream whose last event is not indexed.
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

  /// Removes the last event, which must belong to this stream.
  package mutating func removeLast(_ stream: UInt32) {
    revisions[Int(stream)] -= 1
    last[Int(stream)] = previous.removeLast()
  }

  /// Returns the positions of a stream's indexed events after a revision, in order, and the
  /// revision before the first of them; nil for an unknown stream.
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
