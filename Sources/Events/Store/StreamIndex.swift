/// Each stream's revision and the positions of its events, for a writer.
///
/// - Complexity: memory is about 50 bytes a stream beside its name and 4 bytes an event; positions
///   up to 4,294,967,295.
struct StreamIndex: Sendable {
  /// The most events a writer can keep an index of.
  static let mostEvents = UInt64(UInt32.max)

  private var names = NameTable()
  private var revisions: [UInt32] = []
  private var last: [UInt32] = []
  /// By position − 1: the position of the event before in the same stream, 0 for its first.
  private var previous: [UInt32] = []

  var streamCount: Int { names.count }

  func revision(of stream: UnsafeBufferPointer<UInt8>) -> UInt64 {
    names.find(stream).map { UInt64(revisions[Int($0)]) } ?? 0
  }

  func revision(of stream: String) -> UInt64 {
    var stream = stream
    return stream.withUTF8 { revision(of: $0) }
  }

  /// Adds the next event of the log.
  /// - Returns: its revision, and the stream's number for `removeLast`.
  @discardableResult
  mutating func append(_ stream: UnsafeBufferPointer<UInt8>) -> (revision: UInt64, stream: UInt32) {
    let number = names.intern(stream)
    if Int(number) == revisions.count {
      revisions.append(0)
      last.append(0)
    }
    let index = Int(number)
    revisions[index] += 1
    previous.append(last[index])
    last[index] = UInt32(previous.count)
    return (UInt64(revisions[index]), number)
  }

  @discardableResult
  mutating func append(_ stream: String) -> (revision: UInt64, stream: UInt32) {
    var stream = stream
    return stream.withUTF8 { append($0) }
  }

  /// Removes the last event, which must be of this stream.
  mutating func removeLast(_ stream: UInt32) {
    revisions[Int(stream)] -= 1
    last[Int(stream)] = previous.removeLast()
  }

  /// The positions of a stream's events after a revision, in order.
  func positions(of stream: String, after revision: UInt64) -> [UInt64] {
    var stream = stream
    guard let number = stream.withUTF8({ names.find($0) }) else { return [] }
    var result: [UInt64] = []
    var at = last[Int(number)]
    var current = UInt64(revisions[Int(number)])
    while at != 0, current > revision {
      result.append(UInt64(at))
      at = previous[Int(at) - 1]
      current -= 1
    }
    return result.reversed()
  }
}

/// Positions by a hash of the event id, for recognising a retried append; the lines there decide.
///
/// - Complexity: 16 to 32 bytes an event; built when the first append names an id.
struct EventIDIndex: Sendable {
  /// By hash, the position of the first event that has it.
  private var first = KeyTable()
  /// By hash, the positions of further events that have it.
  private var others: [UInt64: [UInt32]] = [:]

  /// A hash of 63 bits, which is never the key that marks a free slot of a `KeySet`.
  private static func key(_ id: EventID) -> UInt64 {
    let mixed = (id.low ^ id.high &* 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(
      by: 0xc2b2_ae3d_27d4_eb4f)
    return (mixed.high ^ mixed.low) >> 1
  }

  mutating func insert(_ id: EventID, _ seq: UInt64) {
    let (key, seq) = (Self.key(id), UInt32(truncatingIfNeeded: seq))
    if !first.insert(key, seq) { others[key, default: []].append(seq) }
  }

  /// The positions at which the id may be; the lines there decide.
  func candidates(_ id: EventID) -> [UInt64] {
    let key = Self.key(id)
    guard let seq = first[key] else { return [] }
    return [UInt64(seq)] + (others[key] ?? []).map { UInt64($0) }
  }
}
