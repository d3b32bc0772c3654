import Events

extension Comments {
  /// The lists hold every comment once, under its workout; nothing that is gone has comments or
  /// hearts.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    if let broken = hearts.brokenInvariant { return broken }
    var listed = 0
    for index in lists.indices {
      for id in lists[index] {
        listed += 1
        if self[id]?.workout.index != index {
          return "\(names[id]) is listed for \(names[WorkoutID(index: index)]), not its own"
        }
      }
    }
    var posted = 0
    for index in states.indices {
      let id = CommentID(index: index)
      guard let comment = self[id] else {
        if !hearts(of: id).isEmpty { return "\(names[id]) is not there and has hearts" }
        continue
      }
      posted += 1
      if ownership.isGone(comment.workout) || ownership.isGone(comment.user) {
        return "\(names[id]) is there, but its workout or its author is gone"
      }
    }
    return posted == listed ? nil : "\(posted) comments are there and \(listed) listed"
  }
}
