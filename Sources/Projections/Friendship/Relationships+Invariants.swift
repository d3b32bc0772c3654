import Events

extension Relationships {
  /// Friendship is symmetric, friends have no open request between them, and a deleted account has
  /// neither friends nor requests.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = friendships.brokenInvariant ?? requests.brokenInvariant { return broken }
    for index in friendships.starts {
      let user = UserID(index: index)
      for friend in Users(friendships.from(index)) {
        if !friendships.contains(friend.index, index) {
          return "\(names[user]) has the friend \(names[friend]), who does not"
        }
        if requests.contains(index, friend.index) || isDeleted[index] {
          return "\(names[user]) and \(names[friend]) are friends and asking, or one is deleted"
        }
      }
    }
    return nil
  }
}
