/// Replacements for ids.
protocol IDMap {
  func user(_ id: UserID) -> UserID
  func workout(_ id: WorkoutID) -> WorkoutID
  func comment(_ id: CommentID) -> CommentID
}

extension Event {
  /// The users, workouts and comments that an event names, in the order of its members.
  public var ids: IDs {
    var ids = IDs()
    forEachID(
      user: { ids.users.append($0) }, workout: { ids.workouts.append($0) },
      comment: { ids.comments.append($0) })
    return ids
  }

  /// Calls a closure with each id that the event names, in the order of its members.
  public func forEachID(
    user: (UserID) -> Void = { _ in }, workout: (WorkoutID) -> Void = { _ in },
    comment: (CommentID) -> Void = { _ in }
  ) {
    var copy = self
    copy.mapIDs(
      user: {
        user($0)
        return $0
      },
      workout: {
        workout($0)
        return $0
      },
      comment: {
        comment($0)
        return $0
      })
  }

  public struct IDs: Equatable, Sendable {
    public var users: [UserID] = []
    public var workouts: [WorkoutID] = []
    public var comments: [CommentID] = []
  }

  /// Replaces the ids that the event names, in the order of its members.
  public mutating func mapIDs(
    user: (UserID) -> UserID, workout: (WorkoutID) -> WorkoutID,
    comment: (CommentID) -> CommentID
  ) {
    withoutActuallyEscaping(user) { user in
      withoutActuallyEscaping(workout) { workout in
        withoutActuallyEscaping(comment) { comment in
          mapIDs(Closures(ofUser: user, ofWorkout: workout, ofComment: comment))
        }
      }
    }
  }

  private struct Closures: IDMap {
    var ofUser: (UserID) -> UserID
    var ofWorkout: (WorkoutID) -> WorkoutID
    var ofComment: (CommentID) -> CommentID

    func user(_ id: UserID) -> UserID { ofUser(id) }
    func workout(_ id: WorkoutID) -> WorkoutID { ofWorkout(id) }
    func comment(_ id: CommentID) -> CommentID { ofComment(id) }
  }
}
