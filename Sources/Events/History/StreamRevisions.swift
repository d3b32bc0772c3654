/// The stream revisions of a history's events, in the order of its lines. They serve to check that
/// each stream has the revisions 1, 2, 3 …, and to count the streams.
///
/// A hash of 61 bits identifies a stream. It is the value of a polynomial, made from the stream's
/// name, at a point that the log's author cannot know in advance. Two names have the same hash with
/// a probability of at most 2⁻⁵⁴, even if an attacker chose them. The reason is that two
/// polynomials of degree up to 75 agree at no more than 75 of 2⁶¹ points.
///
/// Two streams with the same hash look like one stream with two events of revision 1. So the check
/// fails, and the caller repeats it with names instead of hashes. A wrong revision stays hidden
/// only if its stream shares its hash with another one that has exactly the missing revisions, in
/// the right order. With 5 million streams this is less likely than 2⁻³¹.
/// - Complexity: Memory is 12 bytes for each event.
package struct StreamRevisions: Sendable {
  /// The hash of one event's stream, and the event's stream revision.
  package struct Entry: BitwiseCopyable, Sendable {
    fileprivate var high: UInt32
    fileprivate var low: UInt32
    fileprivate var revision: UInt32

    /// Creates an entry from a stream's name and a revision; nil for a revision above
    /// 4,294,967,295.
    /// - Parameter key: The point at which polynomials are evaluated: a number below 2⁶¹ − 1, the
    ///   same for all events.
    @inline(__always)
    init?(_ stream: UnsafeBufferPointer<UInt8>, _ revision: UInt64, key: UInt64) {
      guard let revision = UInt32(exactly: revision) else { return nil }
      let hash = StreamRevisions.hash(stream, key)
      (high, low) = (UInt32(hash >> 32), UInt32(truncatingIfNeeded: hash))
      self.revision = revision
    }

    fileprivate var hash: UInt64 { UInt64(high) << 32 | UInt64(low) }
  }

  /// The entries, divided into parts by the highest bits of their hashes. Each part can be checked
  /// separately, with a table that fits into the CPU cache.
  package private(set) var parts = [[Entry]](repeating: [], count: partCount)

  package init() {}

  static let partCount = 256

  /// Adds the entries of further lines, in the order of the lines.
  package mutating func append(_ entries: [Entry]) {
    for entry in entries { parts[Int(entry.high >> 21)].append(entry) }
  }

  /// Returns the number of streams in a part; nil if a stream does not have the revisions 1, 2, 3
  /// and so on.
  /// - Complexity: O(the part's events).
  package static func streamCount(_ part: [Entry]) -> Int? {
    var slots = 16
    while slots < part.count * 2 { slots *= 2 }
    var hashes = [UInt64](repeating: .max, count: slots)
    var reached = [UInt32](repeating: 0, count: slots)
    var count = 0
    for entry in part {
      let hash = entry.hash
      var at = Int(truncatingIfNeeded: hash) & (slots - 1)
      while hashes[at] != hash, hashes[at] != .max { at = (at + 1) & (slots - 1) }
      guard entry.revision == reached[at] &+ 1 else { return nil }
      if reached[at] == 0 { count += 1 }
      (hashes[at], reached[at]) = (hash, entry.revision)
    }
    return count
  }

  /// The prime 2⁶¹ − 1, modulo which hashes are computed.
  package static let prime: UInt64 = 1 << 61 - 1

  /// Returns the hash of a stream's name: the value of a polynomial at `key`. Its coefficients are
  /// the name's length, the name's bytes in groups of seven, and 0.
  @inline(__always)
  private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ key: UInt64) -> UInt64 {
    var hash = UInt64(name.count)
    guard let base = name.baseAddress else { return hash }
    var at = 0
    while name.count - at > 7 {
      let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
      hash = step(hash, key, UInt64(littleEndian: word) & 0xff_ffff_ffff_ffff)
      at += 7
    }
    var rest: UInt64 = 0
    for byte in name[at...].reversed() { rest = rest << 8 | UInt64(byte) }
    hash = step(hash, key, rest)
    // The last step makes the hashes of names that differ only in their last bytes very different.
    hash = step(hash, key, 0)
    return hash >= prime ? hash - prime : hash
  }

  /// Returns `hash · key + next` modulo `prime`, not fully reduced: the result is below 2⁶¹ + 2.
  /// The argument `hash` must also be below 2⁶¹ + 2.
  @inline(__always)
  private static func step(_ hash: UInt64, _ key: UInt64, _ next: UInt64) -> UInt64 {
    let product = hash.multipliedFullWidth(by: key)
    let sum = (product.low & prime) + (product.high << 3 | product.low >> 61) + next
    return (sum & prime) + (sum >> 61)
  }
}
