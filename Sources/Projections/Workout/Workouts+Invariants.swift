import Events

extension Workouts {
  /// The lists hold every shared workout once, under its owner and in order.
  /// - Complexity: O(state).
  public func brokenInvariant(_ names: Names) -> String? {
    var listed = 0
    for index in lists.indices {
      let list = Array(lists[index])
      listed += list.count
      for (at, entry) in list.enumerated() {
        let id = WorkoutID(index: entry.workout)
        if at > 0 && list[at - 1] >= entry { return "\(names[id]) is listed out of order" }
        if self[id]?.owner != UserID(index: index) {
          return "\(names[id]) is listed for \(names[UserID(index: index)]), not its owner"
        }
        if self[id].map(self.entry) != entry {
          return "\(names[id]) is listed with another date or audience than its own"
        }
      }
    }
    var shared = 0
    for index in states.indices where self[WorkoutID(index: index)] != nil { shared += 1 }
    return shared == listed ? nil : "\(shared) workouts are shared and \(listed) listed"
  }
}
