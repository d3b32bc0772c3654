import Events

extension Search {
  /// Whether a query has fewer than two Characters, not counting white space at its ends.
  public static func isTooShort(_ query: String) -> Bool { trimmed(query).count < 2 }

  private static func trimmed(_ query: String) -> Substring {
    guard let first = query.firstIndex(where: { !$0.isWhitespace }),
      let last = query.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return query[first...last]
  }

  /// The public profiles with the query in handle or display name, at most `limit`: an exact handle
  /// first, then handles that start with the query, then the rest, each sorted by handle; those
  /// without one last, by display name, then by id.
  ///
  /// White space around the query does not count. Empty if the query is empty, or nothing is left
  /// of it after folding.
  public func matches(_ query: String, limit: Int, _ names: Names) -> [UserID] {
    let query = Folding.fold(String(Self.trimmed(query)))
    guard !query.isEmpty, limit > 0 else { return [] }
    let starting = segments.map { $0.rows(startingWith: query) }
    // An exact handle comes first among those that start with the query.
    var first = recent.filter { $0.startsWith(query) }
    for (segment, range) in zip(segments, starting) {
      first += segment.live(range, limit: limit).map { segment[$0] }
    }
    let users = Self.users(first, limit: limit, names)
    guard users.count < limit else { return users }
    let room = limit - users.count
    var rest = recent.filter { !$0.startsWith(query) && $0.contains(query) }
    for (segment, range) in zip(segments, starting) {
      let rows = segment.rows(containing: query, outside: range, limit: room)
      rest += rows.map { segment[$0] }
    }
    return users + Self.users(rest, limit: room, names)
  }

  private static func users(_ texts: [SearchText], limit: Int, _ names: Names) -> [UserID] {
    let sorted = texts.sorted { a, b in
      if a.handle.isEmpty, b.handle.isEmpty, a.name == b.name {
        return names.precedes(UserID(index: a.user), UserID(index: b.user))
      }
      return a.precedes(b)
    }
    return sorted.prefix(limit).map { UserID(index: $0.user) }
  }
}
