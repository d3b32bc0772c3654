import Events

extension Notifications.Notification.Kind {
  /// The workout that was chupped, reacted to or commented on.
  public var workout: WorkoutID? {
    switch self {
    case .request, .acceptance, .follow, .invitation, .joinRequest, .approval: nil
    case .chup(let workout, _), .reaction(let workout, _), .comment(_, let workout),
      .reply(_, let workout), .heart(_, let workout):
      workout
    }
  }

  /// The comment that was posted, or has a heart.
  public var comment: CommentID? {
    switch self {
    case .comment(let comment, _), .reply(let comment, _), .heart(let comment, _): comment
    case .request, .acceptance, .follow, .chup, .reaction, .invitation, .joinRequest, .approval: nil
    }
  }

  public var group: GroupID? {
    switch self {
    case .invitation(let group), .joinRequest(let group), .approval(let group): group
    case .request, .acceptance, .follow, .chup, .reaction, .comment, .reply, .heart: nil
    }
  }
}
