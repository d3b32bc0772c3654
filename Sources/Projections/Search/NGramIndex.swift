import Events

/// An inverted index from each gram to the rows that contain it, in ascending order. A gram is a
/// pair or triple of consecutive bytes.
///
/// For a query of two or three bytes, the index alone gives the matching rows. For a longer query
/// it gives the rows that have all the query's triples; most of them match.
/// - Complexity: O(bytes) to build. Memory: about a byte per distinct gram of each row, 40 bytes
///   per profile, and 32 to 48 bytes per distinct gram of all rows.
struct NGramIndex: Sendable {
  private struct List: BitwiseCopyable, Sendable {
    var count = 0
    /// The offset in `bytes` at which the list starts.
    var start = 0
  }
  /// By gram: the index of its list in `lists`.
  private var numbers = KeyTable()
  private var lists = Slab(blank: List())
  /// The lists' rows, each as the difference from the previous one: a varint, seven bits per byte.
  private var bytes = Slab<UInt8>(blank: 0)

  mutating func code(with coder: inout StateCoder) {
    numbers.code(with: &coder)
    coder(&lists)
    coder(&bytes)
    if lists.count != numbers.count { coder.fail() }
  }

  func rows(_ key: UInt64) -> [Int] {
    var rows: [Int] = []
    guard var cursor = cursor(key) else { return rows }
    while let row = next(&cursor) { rows.append(row) }
    return rows
  }

  var keys: [UInt64] {
    var keys: [UInt64] = []
    numbers.forEachKey { key, _ in keys.append(key) }
    return keys
  }

  /// Returns a gram as a number. A bit above its bytes says whether it is a pair or a triple.
  static func key(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) } | (bytes.count == 2 ? pair : triple)
  }
  private static let pair: UInt64 = 1 << 24
  private static let triple: UInt64 = 1 << 25

  struct Cursor {
    fileprivate var at: Int
    private(set) var left: Int
    private(set) var row: Int = -1

    fileprivate init(at: Int, left: Int) { (self.at, self.left) = (at, left) }
  }

  /// Returns a cursor before the first row that contains the gram; nil if no row does.
  func cursor(_ key: UInt64) -> Cursor? {
    guard let number = numbers[key] else { return nil }
    let list = lists[Int(number)]
    return Cursor(at: list.start, left: list.count)
  }

  /// Advances the cursor to the list's next row and returns it; nil at the end.
  @inline(__always)
  func next(_ cursor: inout Cursor) -> Int? { cursor.next(bytes) }

  /// Advances the cursor to the first row at or above `row` and returns it; nil at the end.
  @inline(__always)
  func next(_ cursor: inout Cursor, notBelow row: Int) -> Int? {
    while cursor.row < row { if cursor.next(bytes) == nil { return nil } }
    return cursor.row
  }
}

extension NGramIndex.Cursor {
  @inline(__always)
  fileprivate mutating func next(_ bytes: Slab<UInt8>) -> Int? {
    // In a damaged checkpoint the numbers read as zeros; the cursor must stay within the tables.
    guard left > 0, at < bytes.count else { return nil }
    left -= 1
    var byte = bytes[at]
    at += 1
    var step = Int(byte & 0x7f)
    var shift = 7
    while byte >= 0x80, at < bytes.count, shift < 35 {
      byte = bytes[at]
      at += 1
      step |= Int(byte & 0x7f) << shift
      shift += 7
    }
    row = max(row + step, 0)
    return row
  }
}

extension NGramIndex {
  /// Calls `body` with each gram in the texts of each row, row by row. A gram may occur repeatedly.
  @inline(__always)
  private static func forEachGram(
    _ text: Slab<UInt8>, _ rows: Slab<SearchSegment.Row>,
    _ body: (_ key: UInt64, _ row: Int) -> Void
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

  /// Reads the texts twice: first to compute the lengths of the lists, then to fill them.
  init(_ text: Slab<UInt8>, _ rows: Slab<SearchSegment.Row>) {
    /// The last row added to each list.
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
    bytes.grow(to: end)
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
