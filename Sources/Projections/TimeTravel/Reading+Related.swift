import Events

// The lists by which a mirror's tables find the rows that an event may change. A core's questions
// do not use them, so they record no reads.
extension Reading {
  /// Returns the workouts that the user shared and did not remove.
  package func workouts(of owner: UserID) -> [WorkoutID] {
    Array(boxed.value.leaderboard.ownership.workouts(of: owner))
  }

  /// Returns the workouts that the user chupped.
  package func workoutsChupped(by user: UserID) -> [WorkoutID] {
    boxed.value.chups.workouts(of: user)
  }

  /// Returns the workouts to which the user reacted.
  package func workoutsReacted(by user: UserID) -> [WorkoutID] {
    boxed.value.reactions.workouts(of: user)
  }

  /// Returns the user's comments.
  package func comments(by user: UserID) -> [CommentID] { boxed.value.comments.by(user) }

  /// Returns the comments to which the user gave a heart.
  package func commentsHearted(by user: UserID) -> [CommentID] {
    boxed.value.comments.hearted(by: user)
  }

  /// Returns the users who block the user.
  package func blockers(of user: UserID) -> Users { boxed.value.blocks.blockers(of: user) }

  /// Returns the report with this id; nil if there is none.
  package func report(_ id: ReportID) -> Reports.Report? { boxed.value.reports[id] }

  /// Whether the user has notifications, visible or hidden.
  package func hasNotifications(_ user: UserID) -> Bool { boxed.value.notifications.has(user) }

  /// Calls `body` with the recipient and the position of every notification, visible or hidden.
  package func forEachNotification(_ body: (UserID, UInt64) -> Bool) {
    boxed.value.notifications.forEach(body)
  }

  /// Calls `body` with the recipient and the position of each notification that an event may
  /// change; see `Notifications.visit(changedBy:_:)`.
  package func visitNotifications(
    changedBy event: borrowing Event, _ body: (UserID, UInt64) -> Void
  ) {
    boxed.value.notifications.visit(changedBy: event, body)
  }
}
