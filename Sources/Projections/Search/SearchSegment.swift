import Events

/// The texts of many profiles in the order of results, with an index of their grams.
///
/// A segment changes in only one way: a row is marked dead when its profile moves elsewhere.
struct SearchSegment: Sendable {
  struct Row: BitwiseCopyable, Sendable {
    var user: UInt32
    var handleCount: UInt32
    var nameCount: UInt32
    var start: Int

    var handle: Range<Int> { start..<start + Int(handleCount) }
    var name: Range<Int> { handle.upperBound..<handle.upperBound + Int(nameCount) }
  }

  /// The segment's id, which `Search.Place` stores for each user in the segment.
  var id: UInt32
  var rows = Slab(blank: Row(user: 0, handleCount: 0, nameCount: 0, start: 0))
  var liveCount: Int
  /// One bit per row: whether the row is dead (its profile has moved elsewhere). Empty if none is.
  var dead = Slab<UInt64>(blank: 0)
  var bytes = Slab<UInt8>(blank: 0)
  var grams: NGramIndex

  /// Creates a segment.
  /// - Parameter texts: The texts of distinct users.
  init(id: UInt32, _ texts: [SearchText]) {
    self.id = id
    liveCount = texts.count
    // The first eight bytes of the handles decide most comparisons.
    var order = texts.enumerated().map { index, text in
      (
        // Profiles without a handle come last.
        key: text.handle.isEmpty
          ? .max
          : text.handle.prefix(8).enumerated().reduce(UInt64(0)) { key, byte in
            key | UInt64(byte.element) << UInt64(56 - 8 * byte.offset)
          }, index: UInt32(index)
      )
    }
    order.sort { a, b in
      a.key != b.key ? a.key < b.key : texts[Int(a.index)].precedes(texts[Int(b.index)])
    }
    var (sorted, all) = (rows, bytes)
    for (_, index) in order {
      let text = texts[Int(index)]
      sorted.append(
        Row(
          user: text.user, handleCount: UInt32(text.handleCount),
          nameCount: UInt32(text.nameCount), start: all.count))
      all.append(contentsOf: text.bytes)
    }
    grams = NGramIndex(all, sorted)
    (rows, bytes) = (sorted, all)
  }

  subscript(row: Int) -> SearchText {
    let entry = rows[row]
    // In a damaged checkpoint the offsets read as zeros.
    let end = max(row + 1 < rows.count ? rows[row + 1].start : bytes.count, entry.handle.upperBound)
    return SearchText(
      user: entry.user, bytes: Array(bytes[entry.start..<end]),
      handleCount: Int(entry.handleCount), nameCount: Int(entry.nameCount))
  }

  func isDead(_ row: Int) -> Bool { !dead.isEmpty && dead[row >> 6] >> UInt64(row & 63) & 1 == 1 }

  /// Marks a live row as dead, because its profile has moved elsewhere.
  mutating func bury(_ row: Int) {
    dead.grow(to: (rows.count + 63) >> 6)
    dead[row >> 6] |= 1 << UInt64(row & 63)
    liveCount -= 1
  }

  var liveTexts: [SearchText] { rows.indices.lazy.filter { !isDead($0) }.map { self[$0] } }

  mutating func code(with coder: inout StateCoder) {
    coder(&rows)
    coder(&liveCount)
    coder(&dead)
    coder(&bytes)
    grams.code(with: &coder)
  }
}

extension SearchSegment {
  /// Returns the rows whose handles start with the query.
  /// - Complexity: O(log rows).
  func rows(startingWith query: [UInt8]) -> Range<Int> {
    let lower = rows.lowerBound {
      $0.handleCount > 0 && bytes[$0.handle].lexicographicallyPrecedes(query)
    }
    return lower..<rows[lower...].lowerBound { bytes[$0.handle].starts(with: query) }
  }

  /// Returns the first rows in the range that are not dead, at most `limit`.
  func live(_ range: Range<Int>, limit: Int) -> [Int] {
    Array(range.lazy.filter { !isDead($0) }.prefix(limit))
  }

  /// Returns the first live rows outside the range that contain the query, at most `limit`.
  /// - Complexity: For a query of two or three bytes, O(limit) plus the rows skipped because they
  ///   are dead or in the range. For one byte, O(rows). For longer queries, the number of rows with
  ///   the query's rarest triple, times some tens at most.
  func rows(containing query: [UInt8], outside range: Range<Int>, limit: Int) -> [Int] {
    var found: [Int] = []
    guard query.count > 1 else {
      for row in rows.indices where found.count < limit && !range.contains(row) {
        if !isDead(row) && contains(query, row) { found.append(row) }
      }
      return found
    }
    let size = min(query.count, 3)
    var cursors: [NGramIndex.Cursor] = []
    for start in 0...query.count - size {
      let key = NGramIndex.key(query[start..<start + size])
      guard let cursor = grams.cursor(key) else { return [] }
      cursors.append(cursor)
    }
    cursors.sort { $0.left < $1.left }
    // Reading a list far longer than the shortest costs more than the comparisons that it saves.
    let longest = UInt64(cursors[0].left) * 32
    cursors = Array(cursors.prefix(4).prefix { UInt64($0.left) <= longest })
    search: while found.count < limit, let row = grams.next(&cursors[0]) {
      for other in cursors.indices.dropFirst() {
        guard let next = grams.next(&cursors[other], notBelow: row) else { break search }
        if next != row { continue search }
      }
      if range.contains(row) || isDead(row) { continue }
      if query.count <= 3 || contains(query, row) { found.append(row) }
    }
    return found
  }

  func contains(_ query: [UInt8], _ row: Int) -> Bool {
    bytes.contains(query, in: rows[row].handle) || bytes.contains(query, in: rows[row].name)
  }

  /// Returns nil if the rows are in the order of results, and the index has exactly their grams;
  /// otherwise describes the fault.
  func brokenInvariant(_ name: (UInt32) -> String) -> String? {
    var expected: [UInt64: [Int]] = [:]
    for row in rows.indices {
      let text = self[row]
      if row > 0, !self[row - 1].precedes(text) {
        return "\(name(rows[row - 1].user)) and \(name(text.user)) are in the wrong order"
      }
      for part in [text.handle, text.name] {
        for size in 2...3 {
          for start in part.indices.dropLast(size - 1) {
            let key = NGramIndex.key(part[start..<start + size])
            if expected[key]?.last != row { expected[key, default: []].append(row) }
          }
        }
      }
    }
    if expected.count != grams.keys.count {
      return "segment \(id) lists \(grams.keys.count) grams of \(expected.count)"
    }
    for key in grams.keys where grams.rows(key) != expected[key] {
      return "segment \(id) lists \(grams.rows(key)) for gram \(key)"
    }
    return nil
  }
}
