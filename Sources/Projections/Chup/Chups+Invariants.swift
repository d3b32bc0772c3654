import Events

extension Chups {
  /// Lists and pairs agree, a big chup is a chup, and no chup is left on a removed workout or from
  /// a deleted account.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = edges.brokenInvariant { return broken }
    var broken: String?
    big.forEachPair { workout, user, _ in
      if !edges.contains(workout, user) {
        broken = "\(names[UserID(index: user)]) has a big chup without a chup"
      }
    }
    for index in edges.starts {
      let workout = WorkoutID(index: index)
      if ownership.isGone(workout), !users(of: workout).isEmpty {
        return "\(names[workout]) is gone and has chups"
      }
      for user in users(of: workout) where ownership.isGone(user) {
        return "\(names[user]) is deleted and chups \(names[workout])"
      }
    }
    return broken
  }
}
