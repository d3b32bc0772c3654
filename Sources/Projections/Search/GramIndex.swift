import Events

/// In which rows each pair and each triple of bytes occurs: lists of row numbers, ascending.
///
/// It answers for a query of two or three bytes by itself. For a longer one it yields the rows that
/// have all its triples, most of which have the query.
/// - Complexity: O(bytes) to make. Memory: about a byte for each different pair and triple of
///   each row, 40 a profile, and 32 to 64 for each different one of all.
struct GramIndex: Sendable {
  private struct Slot {
    /// The gram with a bit above it that says how many bytes it has; 0 is a free slot.
    var key: UInt32 = 0
    /// How many rows the list has.
    var count: UInt32 = 0
    /// Where the list begins.
    var start = 0
  }
  private var slots: [Slot] = []
  /// The lists: each row as the difference from the one before, seven bits a byte.
  private var lists: [UInt8] = []

  mutating func visit(_ state: inout StateCoder) {
    state(&slots)
    state(&lists)
  }

  /// The grams that occur.
  var keys: [UInt32] { slots.lazy.map { $0.key }.filter { $0 != 0 } }

  static func key(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) } | (bytes.count == 2 ? pair : triple)
  }
  private static let pair: UInt32 = 1 << 24
  private static let triple: UInt32 = 1 << 25

  @inline(__always)
  private func slot(_ key: UInt32) -> Int {
    let mask = slots.count - 1
    var at = Int(key &* 0x9e37_79b1 >> 7) & mask
    while slots[at].key != key && slots[at].key != 0 { at = (at + 1) & mask }
    return at
  }

  /// A walk through one list.
  struct Cursor {
    fileprivate var at: Int
    private(set) var left: UInt32
    private(set) var row: Int = -1

    fileprivate init(at: Int, left: UInt32) { (self.at, self.left) = (at, left) }
  }

  /// The rows with the gram; nil if there are none.
  func cursor(_ key: UInt32) -> Cursor? {
    let slot = slots[slot(key)]
    return slot.count == 0 ? nil : Cursor(at: slot.start, left: slot.count)
  }

  /// The list's next row; nil at its end.
  @inline(__always)
  func next(_ cursor: inout Cursor) -> Int? { cursor.next(lists) }

  /// The cursor's row, or the first one of the list that is not below `row`; nil at its end.
  @inline(__always)
  func next(_ cursor: inout Cursor, notBelow row: Int) -> Int? {
    while cursor.row < row { if cursor.next(lists) == nil { return nil } }
    return cursor.row
  }
}

extension GramIndex.Cursor {
  @inline(__always)
  fileprivate mutating func next(_ lists: [UInt8]) -> Int? {
    guard left > 0 else { return nil }
    left -= 1
    var byte = lists[at]
    at += 1
    var step = Int(byte & 0x7f)
    var shift = 7
    while byte >= 0x80 {
      byte = lists[at]
      at += 1
      step |= Int(byte & 0x7f) << shift
      shift += 7
    }
    row += step
    return row
  }
}

extension GramIndex {
  /// Calls `body` with each pair and triple within the texts of row after row, some repeatedly.
  @inline(__always)
  private static func visit(
    _ bytes: [UInt8], _ rows: [SearchSegment.Row], _ body: (_ key: UInt32, _ row: Int) -> Void
  ) {
    for (number, row) in rows.enumerated() {
      for range in [row.handle, row.name] {
        var window: UInt32 = 0
        var at = range.lowerBound
        let third = at + 2
        while at < range.upperBound {
          window = window << 8 | UInt32(bytes[at])
          if at >= third { body(window & 0xff_ffff | triple, number) }
          if at + 1 >= third { body(window & 0xffff | pair, number) }
          at += 1
        }
      }
    }
  }

  /// Twice over the texts: how long each list will be, then the lists themselves in one array.
  init(_ bytes: [UInt8], _ rows: [SearchSegment.Row]) {
    slots = [Slot](repeating: Slot(), count: 1024)
    var used = 0
    /// By slot: the row last met, and where the list's next row goes.
    var last = [Int32](repeating: -1, count: slots.count)
    Self.visit(bytes, rows) { key, row in
      var at = slot(key)
      if slots[at].key == 0 {
        if used * 2 >= slots.count {
          grow(&last)
          at = slot(key)
        }
        used += 1
        slots[at].key = key
      }
      let step = Int32(row) - last[at]
      guard step > 0 else { return }
      slots[at].count += 1
      slots[at].start += Self.length(step)
      last[at] = Int32(row)
    }
    var end = 0
    for at in slots.indices {
      (slots[at].start, end) = (end, end + slots[at].start)
      last[at] = -1
    }
    lists = [UInt8](repeating: 0, count: end)
    var cursors = slots.map { $0.start }
    Self.visit(bytes, rows) { key, row in
      let at = slot(key)
      var step = UInt32(bitPattern: Int32(row) - last[at])
      guard step > 0 else { return }
      last[at] = Int32(row)
      var cursor = cursors[at]
      while step >= 0x80 {
        lists[cursor] = UInt8(truncatingIfNeeded: step) | 0x80
        step >>= 7
        cursor += 1
      }
      lists[cursor] = UInt8(step)
      cursors[at] = cursor + 1
    }
  }

  private static func length(_ step: Int32) -> Int {
    step < 1 << 7 ? 1 : step < 1 << 14 ? 2 : step < 1 << 21 ? 3 : step < 1 << 28 ? 4 : 5
  }

  private mutating func grow(_ last: inout [Int32]) {
    let old = (slots, last)
    slots = [Slot](repeating: Slot(), count: old.0.count * 2)
    last = [Int32](repeating: -1, count: slots.count)
    for (index, entry) in old.0.enumerated() where entry.key != 0 {
      let at = slot(entry.key)
      slots[at] = entry
      last[at] = old.1[index]
    }
  }
}
