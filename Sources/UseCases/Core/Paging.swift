import Events

extension Fields {
  /// The field `limit`, with the same description wherever there are pages; see `clamped`.
  mutating func limit() throws(InputError) -> Int? {
    try optional(
      "limit", "At most so many: 1 to 50, 20 by default. Less counts as 1, more as 50.")
  }

  /// The field `offset`; a negative one counts as 0.
  mutating func offset() throws(InputError) -> Int? {
    try optional("offset", "How many to pass over first: 0 by default. Less counts as 0.")
  }
}

/// A page's length: 1 to 50, 20 by default; out-of-range values are clamped.
func clamped(_ limit: Int?) -> Int { min(max(limit ?? 20, 1), 50) }

/// A place in a list: right behind a row that a caller already has.
///
/// It is the row's time, a comma and what identifies the row among those of the same time. So it
/// stays valid while rows come and go, its own row too.
///
/// ```swift
/// PageCursor("2026-01-31T12:00:00.000Z,alice")  // behind alice's row
/// ```
public struct PageCursor: Equatable, Sendable {
  public var time: Timestamp
  public var key: String

  public init(time: Timestamp, key: String) { (self.time, self.key) = (time, key) }

  /// Reads `TIME,KEY`; nil for another text.
  public init?(_ text: String) {
    guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")),
      let time = DateTime(String(text[..<comma]))
    else { return nil }
    self.init(time: time.instant, key: String(text[text.utf8.index(after: comma)...]))
  }
}

extension Fields {
  /// The field `after`.
  /// - Parameter summary: of which members of a row it is made.
  mutating func after(_ summary: StaticString) throws(InputError) -> PageCursor? {
    let text: String? = try optional("after", summary)
    guard let text else { return nil }
    guard let cursor = PageCursor(text) else {
      throw InputError("after", "members of the last row are expected, such as TIME,ID")
    }
    return cursor
  }
}

/// The part of a list behind a cursor; all of it without one.
///
/// If the cursor's row has gone, the rest begins with the rows of its time.
/// - Parameters:
///   - list: ordered by time.
///   - time: of an element; nil counts as one behind the cursor.
///   - key: of an element, as `PageCursor.key`.
/// - Complexity: O(log n), and some calls for each element of the cursor's time.
func rest<List: RandomAccessCollection>(
  of list: List, after cursor: PageCursor?, isNewestFirst: Bool = true,
  time: (List.Element) -> Timestamp?, key: (List.Element) -> String
) -> List.SubSequence where List.Index == Int {
  guard let cursor else { return list[list.startIndex..<list.endIndex] }
  var (low, high) = (list.startIndex, list.endIndex)
  while low < high {
    let middle = low + (high - low) / 2
    let reaches =
      time(list[middle]).map { isNewestFirst ? $0 <= cursor.time : $0 >= cursor.time } ?? true
    (low, high) = reaches ? (low, middle) : (middle + 1, high)
  }
  var at = low
  while at < list.endIndex, time(list[at]) == cursor.time {
    if key(list[at]) == cursor.key { return list[(at + 1)..<list.endIndex] }
    at += 1
  }
  return list[low..<list.endIndex]
}
