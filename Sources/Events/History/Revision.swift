/// A name for a log's state after one of its events.
///
/// It is one of `1234`, `HEAD`, `HEAD~3`, `@2026-01-31T12:00:00Z` (the last event at or before that
/// time), `50%`, an event id or a bookmark. `0` is the empty log.
public enum Revision: Equatable, Sendable {
  /// The event at a position; 0 is the empty log.
  case position(UInt64)
  /// The event `minus` positions before the last one.
  case head(minus: UInt64)
  /// The last event at or before a time.
  case time(Timestamp)
  /// The event at a percentage of the last position: 0…100.
  case percent(Double)
  /// The event with an id.
  case id(EventID)
  /// The event that a bookmark was set on.
  case bookmark(String)

  /// Reads a revision; returns nil if the text is not one.
  public init?(_ text: String) {
    if let number = Self.number(text) {
      self = .position(number)
    } else if text == "HEAD" {
      self = .head(minus: 0)
    } else if text.hasPrefix("HEAD~"), let back = Self.number(text.dropFirst(5)) {
      self = .head(minus: back)
    } else if text.hasPrefix("@") {
      let rest = String(text.dropFirst())
      guard let time = DateTime(rest)?.instant ?? CalendarDate(rest)?.start else { return nil }
      self = .time(time)
    } else if text.hasSuffix("%"), let share = Self.percent(text.dropLast()) {
      self = .percent(share)
    } else if let id = EventID(text) {
      self = .id(id)
    } else if Self.isBookmarkName(text) {
      self = .bookmark(text)
    } else {
      return nil
    }
  }

  /// Reads decimal digits, without sign.
  private static func number(_ text: some StringProtocol) -> UInt64? {
    text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? UInt64(text) : nil
  }

  /// Reads a percentage such as `50` or `12.5`, from 0 to 100.
  private static func percent(_ text: Substring) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ number($0) != nil }), let share = Double(text)
    else { return nil }
    return (0...100).contains(share) ? share : nil
  }

  /// Whether a text may be a bookmark's name: a letter, then letters, digits, `_`, `-` and `.`, at
  /// most 64 characters of ASCII. It must not be `HEAD`, contain `..` or be an event id.
  package static func isBookmarkName(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) && byte < 0x80 }
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64,
      text.uppercased() != "HEAD", RevisionRange.dots(in: text) == nil
    else { return false }
    return EventID(text) == nil
      && text.utf8.allSatisfy { byte in
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  /// Returns the revision's position in a history.
  /// - Throws: `LogError.noSuchRevision`, and the errors of reading the history.
  /// - Complexity: O(log size) small reads; O(size) for an event id.
  public func resolve(in history: some History) throws(LogError) -> UInt64 {
    let head = try history.head().seq
    switch self {
    case .position(let seq):
      if seq > head { throw .noSuchRevision(.beyondHead(asked: seq, head: head)) }
      return seq
    case .head(let back):
      if back > head { throw .noSuchRevision(.beforeStart(back: back, head: head)) }
      return head - back
    case .time(let time): return try history.position(at: time)
    case .percent(let share): return UInt64((Double(head) * share / 100).rounded(.down))
    case .bookmark(let name): return try history.position(ofBookmark: name)
    case .id(let id):
      var found: UInt64?
      try history.forEachEvent { event in
        if event.id == id { found = event.seq }
        return found == nil
      }
      guard let found else { throw .noSuchRevision(.noSuchEvent(id)) }
      return found
    }
  }
}

/// The events after revision A up to and including revision B, written `A..B`. Without A it starts
/// at the beginning, without B it ends at HEAD.
public struct RevisionRange: Equatable, Sendable {
  /// The revision before the first event of the range.
  public var from: Revision
  /// The revision of the last event of the range.
  public var to: Revision

  /// Reads `A..B`, `A..`, `..B`, or a single revision R, which means `..R`.
  public init?(_ text: String) {
    guard let dots = Self.dots(in: text) else {
      guard let to = Revision(text) else { return nil }
      self.init(from: .position(0), to: to)
      return
    }
    let (left, right) = (String(text[..<dots]), String(text[dots...].dropFirst(2)))
    guard let from = left.isEmpty ? .position(0) : Revision(left),
      let to = right.isEmpty ? .head(minus: 0) : Revision(right)
    else { return nil }
    self.init(from: from, to: to)
  }

  /// Returns the index of the first `..`.
  static func dots(in text: String) -> String.Index? {
    text.indices.first { text[$0...].hasPrefix("..") }
  }

  /// Creates a range.
  public init(from: Revision, to: Revision) {
    (self.from, self.to) = (from, to)
  }
}
