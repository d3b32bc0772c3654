import Events

extension Fields {
  /// Declares the field `limit`, the maximum number of rows in a page; see `clamped`.
  mutating func limit(_ limit: inout Int?) throws(InputError) {
    try optional(
      "limit", "The maximum number of rows: 1 to 50, by default 20. Less counts as 1, more as 50.",
      &limit)
  }

  /// Declares the field `offset`, the number of rows to skip; a negative number counts as 0.
  mutating func offset(_ offset: inout Int?) throws(InputError) {
    try optional(
      "offset", "The number of rows to skip first: by default 0. Less counts as 0.", &offset)
  }
}

/// Returns the maximum number of rows in a page: `limit` clamped to 1 to 50, by default 20.
package func clamped(_ limit: Int?) -> Int { min(max(limit ?? 20, 1), 50) }

/// A position in a list: directly after a row that the caller already has.
///
/// A cursor's text is the row's time, a comma, and a key that distinguishes rows with the same
/// time. A cursor stays valid if rows are added or removed, even if its own row is removed.
///
/// ```swift
/// PageCursor("2026-01-31T12:00:00.000Z,alice")  // after alice's row
/// ```
public struct PageCursor: Equatable, Sendable {
  /// The time of the row.
  public var time: Timestamp
  /// The text that distinguishes the row from others with the same time, such as an id.
  public var key: String

  /// Creates the cursor for the position after a row.
  public init(time: Timestamp, key: String) { (self.time, self.key) = (time, key) }

  /// Creates a cursor from the text `TIME,KEY`; nil for any other text.
  public init?(_ text: String) {
    guard let comma = text.utf8.firstIndex(of: UInt8(ascii: ",")),
      let time = DateTime(String(text[..<comma]))
    else { return nil }
    self.init(time: time.instant, key: String(text[text.utf8.index(after: comma)...]))
  }
}

extension PageCursor: FieldValue {
  public static var kind: Field.Kind { .text }
  public static var placeholder: PageCursor { PageCursor(time: .epoch, key: "") }
  public init(_ json: JSONValue, _ place: FieldPlace) throws(InputError) {
    guard let cursor = PageCursor(try place.text(json)) else {
      throw InputError(place.name, "members of the last row are expected, such as TIME,ID")
    }
    self = cursor
  }
  public var json: JSONValue { .string("\(time),\(key)") }
}

extension Fields {
  /// Declares the field `after`, the cursor where a page begins.
  /// - Parameter summary: the field's description, which names the fields of a row that form the
  ///   cursor.
  mutating func after(
    _ summary: StaticString, _ after: inout PageCursor?
  ) throws(InputError) {
    try optional("after", summary, &after)
  }
}

/// Returns the part of a list after a cursor; without a cursor, the whole list.
///
/// If the cursor's row was removed, the part begins with the first row that has the same time.
/// - Parameters:
///   - list: the whole list, sorted by time.
///   - time: returns an element's time; an element without a time counts as after the cursor.
///   - key: returns an element's key, as in `PageCursor.key`.
/// - Complexity: O(log n), and a few calls for each element with the cursor's time.
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
