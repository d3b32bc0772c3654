/// A name for the state of a log after one of its events.
///
/// Its forms as text are:
/// - `1234`, an event's position; `0` is the empty log
/// - `HEAD`, the last event, and `HEAD~3`, the third event before it
/// - `@2026-01-31T12:00:00Z`, the last event at or before this time
/// - `50%`, a percentage of the last position
/// - an event's id
/// - a bookmark's name
public enum Revision: Equatable, Sendable {
  /// The state after the event at a position; 0 is the empty log.
  case position(UInt64)
  /// The state after the event that is `minus` positions before the last event.
  case head(minus: UInt64)
  /// The state after the last event recorded at or before a time.
  case time(Timestamp)
  /// The state after the event at a percentage of the last position: 0…100.
  case percent(Double)
  /// The state after the event with this id.
  case id(EventID)
  /// The state after the event on which the bookmark with this name was set.
  case bookmark(String)

  /// Reads a revision from its text; returns nil if the text is not a revision.
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

  /// Reads an integer in decimal digits, without sign; returns nil for any other text.
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

  /// Returns a percentage of a position, rounded down.
  ///
  /// A binary fraction is only near a share such as 64.1. So the decimal digits are used: the share
  /// is `digits / scale`, with the smallest power of ten for which this is the same number.
  private static func position(_ share: Double, of head: UInt64) -> UInt64 {
    var (scale, digits) = (1.0, share.rounded())
    while digits / scale != share, scale < 1e13 {
      scale *= 10
      digits = (share * scale).rounded()
    }
    if digits / scale > share { digits -= 1 }
    let product = head.multipliedFullWidth(by: UInt64(digits))
    return (100 * UInt64(scale)).dividingFullWidth(product).quotient
  }

  /// Whether a text may be a bookmark's name.
  ///
  /// A name is a letter, followed by letters, digits, `_`, `-` and `.`. It has at most 64
  /// characters, all ASCII. It must not be `HEAD`, contain `..` or be an event id.
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

  /// Returns the position in a history that the revision names.
  /// - Throws: `LogError.noSuchRevision` if the history does not have the revision, and errors of
  ///   reading the history.
  /// - Complexity: O(log(history's size)) small reads. For an event's id, it reads the whole
  ///   history.
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
    case .percent(let share): return Self.position(share, of: head)
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

/// A range of events, written `A..B`: the events after revision A, up to and including revision B.
/// Without A, the range starts at the log's first event; without B, it ends at the last.
public struct RevisionRange: Equatable, Sendable {
  /// The revision right before the first event of the range.
  public var from: Revision
  /// The revision right after the last event of the range.
  public var to: Revision

  /// Reads a range from `A..B`, `A..`, `..B`, or a single revision `R`, which means `..R`.
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

  /// Returns the index of the first `..` in a text; nil if there is none.
  static func dots(in text: String) -> String.Index? {
    text.indices.first { text[$0...].hasPrefix("..") }
  }

  /// Creates a range from its two revisions.
  public init(from: Revision, to: Revision) {
    (self.from, self.to) = (from, to)
  }
}
