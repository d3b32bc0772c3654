import Events

extension Notifications {
  /// Each list is in order, and no notification is about something that is gone.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    for index in lists.indices {
      let user = UserID(index: index)
      let list = all(of: user)
      for (at, told) in list.enumerated() {
        if at > 0 && list[at - 1].seq >= told.seq {
          return "\(names[user])'s notifications are out of order at \(told.seq)"
        }
        if let workout = told.kind.workout, ownership.owner(of: workout) != user {
          return "\(names[user]) is told of \(names[workout]), which is another's or gone"
        }
      }
    }
    return nil
  }
}
