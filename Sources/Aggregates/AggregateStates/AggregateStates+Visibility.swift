import Events

// What somebody who acts sees of items and comments.
extension AggregateStates {
  /// What a user who acts sees of an item.
  package func visibility(_ id: WorkoutID?, _ user: UserID, _ rules: Rules) -> Visibility {
    guard exists(user) else { return .noProfile }
    guard let item = id.flatMap({ workouts.summary($0) }), exists(item.owner) else {
      return .nothing
    }
    return rules.visibility(ofItem: item.audience, of: item.owner, .user(user), self)
  }

  /// What a user who acts sees of a comment: what they see of its item, and nothing if a block
  /// stands between them and its author.
  package func visibility(_ id: CommentID, _ user: UserID, _ rules: Rules) -> Visibility {
    guard exists(user) else { return .noProfile }
    guard let place = comments.summary(id), exists(place.author), !isBlocked(user, place.author)
    else { return .nothing }
    return visibility(place.workout, user, rules)
  }

  /// Whether the comment replied to is on the same item and seen by the author; true for none.
  package func replyExists(_ comment: CommentPosted) -> Bool {
    guard let replied = comment.replyTo else { return true }
    guard let place = comments.summary(replied), exists(place.author) else { return false }
    return place.workout == comment.workout && !isBlocked(comment.user, place.author)
  }
}
