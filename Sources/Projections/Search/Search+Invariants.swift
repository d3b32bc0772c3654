import Events

extension Search {
  /// Describes the first invariant that does not hold after `settle`; nil if all hold.
  /// - Complexity: O(texts).
  public func brokenInvariant(_ names: Names) -> String? {
    func name(_ user: UInt32) -> String { names[UserID(index: user)] }
    func misplaced(_ user: UInt32, _ list: UInt32, _ row: Int) -> String? {
      places[Int(user)] == Place(list: list, row: UInt32(row))
        ? nil : "\(name(user)) is not at its place, row \(row) of list \(list)"
    }
    var found = 0
    for user in hidden.indices where hidden.has(user) {
      if let broken = misplaced(user, Place.hidden, 0) { return broken }
      found += 1
    }
    for (row, text) in recent.enumerated() {
      if let broken = misplaced(text.user, Place.recent, row) { return broken }
    }
    found += recent.count
    for segment in segments {
      var live = 0
      for row in segment.rows.indices where !segment.isDead(row) {
        let user = segment.rows[row].user
        if let broken = misplaced(user, segment.id, row) { return broken }
        live += 1
      }
      if live != segment.liveCount {
        return "segment \(segment.id) counts \(segment.liveCount) live rows and has \(live)"
      }
      if let broken = segment.brokenInvariant(name) { return broken }
      found += live
    }
    let open = places.count { $0.isOpen }
    return open == found ? nil : "\(open) accounts are open and \(found) have texts"
  }
}

extension SearchSegment {
  /// Rows are in result order; the index lists exactly the grams of each row.
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
            let key = GramIndex.key(part[start..<start + size])
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

extension GramIndex {
  /// All the rows with the gram.
  fileprivate func rows(_ key: UInt64) -> [Int] {
    var rows: [Int] = []
    guard var cursor = cursor(key) else { return rows }
    while let row = next(&cursor) { rows.append(row) }
    return rows
  }
}
