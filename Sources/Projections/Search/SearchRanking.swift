import Events

// The order of search results.

extension SearchText {
  /// Returns whether this profile comes before the other in results.
  ///
  /// Profiles are sorted by folded handle. Profiles without a handle come last, sorted by folded
  /// display name. Ties are sorted by the bytes of the handle as its user wrote it, then by user.
  func precedes(_ other: SearchText) -> Bool {
    if handle.isEmpty != other.handle.isEmpty { return other.handle.isEmpty }
    if handle != other.handle { return handle.lexicographicallyPrecedes(other.handle) }
    if handle.isEmpty, name != other.name { return name.lexicographicallyPrecedes(other.name) }
    if ownHandle != other.ownHandle {
      return ownHandle.lexicographicallyPrecedes(other.ownHandle)
    }
    return user < other.user
  }
}

extension Search {
  /// Returns the users of the first `limit` texts in the order of results.
  static func users(_ texts: [SearchText], limit: Int, _ names: Names) -> [UserID] {
    let sorted = texts.sorted { a, b in
      if a.handle.isEmpty, b.handle.isEmpty, a.name == b.name {
        return names.precedes(UserID(index: a.user), UserID(index: b.user))
      }
      return a.precedes(b)
    }
    return sorted.prefix(limit).map { UserID(index: $0.user) }
  }
}
