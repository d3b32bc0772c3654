import Events

extension FollowLists {
  /// The lists hold exactly the edges, and a deleted account has none.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = edges.brokenInvariant { return broken }
    for index in isDeleted.indices where isDeleted[UInt32(index)] {
      let user = UserID(index: UInt32(index))
      if !edges.to(user.index).isEmpty || !edges.from(user.index).isEmpty {
        return "\(names[user]) is deleted and has edges"
      }
    }
    return nil
  }
}
