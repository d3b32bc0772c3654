import Events

/// In which rows each pair and each triple of bytes occurs: lists of row numbers, ascending.
///
/// It answers for a query of two or three bytes by itself. For a longer one it yields the rows that
/// have all its triples, most of which have the query.
/// - Complexity: O(bytes) to make. Memory: about a byte for each different pair and triple of
///   each row, 40 a profile, and 32 to 48 for each different one of all.
struct GramIndex: Sendable {
  private struct List: BitwiseCopyable {
    /// How many rows it has.
    var count = 0
    /// Where it begins.
    var start = 0
  }
  /// By gram, the number of its list.
  private var numbers = KeyTable()
  private var lists: [List] = []
  /// The lists' content: each row as the difference from the one before, seven bits a byte.
  private var bytes: [UInt8] = []

  mutating func code(with coder: inout StateCoder) {
    numbers.code(with: &coder)
    coder(&lists)
    coder(&bytes)
    if lists.count != numbers.count { coder.fail() }
  }

  /// The grams that occur.
  var keys: [UInt64] {
    var keys: [UInt64] = []
    numbers.forEachKey { key, _ in keys.append(key) }
    return keys
  }

  /// The gram with a bit above it that says how many bytes it has.
  static func key(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) } | (bytes.count == 2 ? pair : triple)
  }
  private static let pair: UInt64 = 1 << 24
  private static let triple: UInt64 = 1 << 25

  /// A walk through one list.
  struct Cursor {
    fileprivate var at: Int
    private(set) var left: Int
    private(set) var row: Int = -1

    fileprivate init(at: Int, left: Int) { (self.at, self.left) = (at, left) }
  }

  /// The rows with the gram; nil if there are none.
  func cursor(_ key: UInt64) -> Cursor? {
    guard let number = numbers[key] else { return nil }
    let list = lists[Int(number)]
    return Cursor(at: list.start, left: list.count)
  }

  /// The list's next row; nil at its end.
  @inline(__always)
  func next(_ cursor: inout Cursor) -> Int? { cursor.next(bytes) }

  /// The cursor's row, or the first one of the list that is not below `row`; nil at its end.
  @inline(__always)
  func next(_ cursor: inout Cursor, notBelow row: Int) -> Int? {
    while cursor.row < row { if cursor.next(bytes) == nil { return nil } }
    return cursor.row
  }
}

extension GramIndex.Cursor {
  @inline(__always)
  fileprivate mutating func next(_ bytes: [UInt8]) -> Int? {
    guard left > 0 else { return nil }
    left -= 1
    var byte = bytes[at]
    at += 1
    var step = Int(byte & 0x7f)
    var shift = 7
    while byte >= 0x80 {
      byte = bytes[at]
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
  private static func forEachGram(
    _ text: [UInt8], _ rows: [SearchSegment.Row], _ body: (_ key: UInt64, _ row: Int) -> Void
  ) {
    for (number, row) in rows.enumerated() {
      for range in [row.handle, row.name] {
        var window: UInt64 = 0
        var at = range.lowerBound
        let third = at + 2
        while at < range.upperBound {
          window = window << 8 | UInt64(text[at])
          if at >= third { body(window & 0xff_ffff | triple, number) }
          if at + 1 >= third { body(window & 0xffff | pair, number) }
          at += 1
        }
      }
    }
  }

  /// Twice over the texts: how long each list will be, then the lists themselves in one array.
  init(_ text: [UInt8], _ rows: [SearchSegment.Row]) {
    /// By list: the row last met.
    var last: [Int32] = []
    Self.forEachGram(text, rows) { key, row in
      let number = Int(numbers.intern(key))
      if number == lists.count {
        lists.append(List())
        last.append(-1)
      }
      let step = Int32(row) - last[number]
      guard step > 0 else { return }
      lists[number].count += 1
      lists[number].start += Self.length(step)
      last[number] = Int32(row)
    }
    var end = 0
    for number in lists.indices {
      (lists[number].start, end) = (end, end + lists[number].start)
      last[number] = -1
    }
    bytes = [UInt8](repeating: 0, count: end)
    var cursors = lists.map { $0.start }
    Self.forEachGram(text, rows) { key, row in
      let number = Int(numbers.intern(key))
      var step = UInt32(bitPattern: Int32(row) - last[number])
      guard step > 0 else { return }
      last[number] = Int32(row)
      var cursor = cursors[number]
      while step >= 0x80 {
        bytes[cursor] = UInt8(truncatingIfNeeded: step) | 0x80
        step >>= 7
        cursor += 1
      }
      bytes[cursor] = UInt8(step)
      cursors[number] = cursor + 1
    }
  }

  private static func length(_ step: Int32) -> Int {
    step < 1 << 7 ? 1 : step < 1 << 14 ? 2 : step < 1 << 21 ? 3 : step < 1 << 28 ? 4 : 5
  }
}
