extension Names {
  /// The names of a saved state, all read and checked anew, and those that this table has met;
  /// nil if they cannot be had with the same numbers.
  /// - Complexity: O(names).
  package func restoredAnew(from saved: any SavedState) -> Names? {
    guard saved.isIntact(part: "names") else { return nil }
    var (fresh, coder) = (Names(), StateCoder(saved, lazily: false))
    fresh.code(with: &coder)
    fresh.appEvents = appEvents
    guard coder.isSound, fresh.userCount <= userCount, fresh.workoutCount <= workoutCount,
      fresh.commentCount <= commentCount
    else { return nil }
    do throws(InvalidID) {
      for index in UInt32(fresh.userCount)..<UInt32(userCount) {
        guard try fresh.user(self[UserID(index: index)]).index == index else { return nil }
      }
      for index in UInt32(fresh.workoutCount)..<UInt32(workoutCount) {
        guard try fresh.workout(self[WorkoutID(index: index)]).index == index else { return nil }
      }
      for index in UInt32(fresh.commentCount)..<UInt32(commentCount) {
        guard try fresh.comment(self[CommentID(index: index)]).index == index else { return nil }
      }
    } catch {
      return nil
    }
    return fresh
  }
}
