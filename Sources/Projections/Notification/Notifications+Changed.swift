import Events

// The notifications that an event changes, for a copy of them elsewhere.
extension Notifications {
  /// Calls `body` with the recipient and the position of each notification that an event may bring,
  /// change or remove. Called with the state before and with the state after the event, it visits
  /// too many notifications, but never too few.
  /// - Complexity: O(the recipients' notifications); for a deleted account, O(all notifications).
  func visit(changedBy event: borrowing Event, _ body: (UserID, UInt64) -> Void) {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      visit(.follow, by: edge.follower, for: edge.followee, body)
    case .friendship(let event):
      switch event {
      case .requested(let data), .accepted(let data), .cancelled(let data), .rejected(let data):
        visit(.request, by: data.sender, for: data.receiver, body)
        visit(.request, by: data.receiver, for: data.sender, body)
      case .removed(let data):
        visit(.request, by: data.user, for: data.friend, body)
        visit(.request, by: data.friend, for: data.user, body)
      }
    case .chup(.given(let data)): visitChup(of: data.workout, by: data.user, body)
    case .chup(.withdrawn(let data)): visitChup(of: data.workout, by: data.user, body)
    case .reaction(.given(let data)), .reaction(.withdrawn(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      visit(.reaction(data.workout, data.kind), by: data.user, for: owner, body)
    case .heart(.given(let data)), .heart(.withdrawn(let data)):
      let post = posts[data.comment.index]
      guard let author = post.author else { return }
      visit(.heart(data.comment, post.workout), by: data.user, for: author, body)
    case .comment(.posted(let data)): visit(about: data.comment, body)
    case .comment(.edited(let data)): visit(about: data.comment, body)
    case .comment(.removed(let data)): visit(about: data.comment, body)
    case .workout(.removed(let data)):
      guard let owner = ownership.owner(of: data.workout) else { return }
      for user in [owner] + Array(posters[data.workout.index]) {
        visit(of: user, body) { $0.isAbout(data.workout) }
      }
    case .member(let event):
      let (group, user) = (event.group, event.user)
      visit(of: user, body) { $0.isAbout(group) }
      for member in memberships.members(of: group) where memberships.standing(group, member).isAdmin
      { visit(of: member, body) { $0.isAbout(group) && $0.isJoinRequest && $0.user == user } }
    case .group(.created(let data)): visit(about: data.group, body)
    case .group(.transferred(let data)): visit(about: data.group, body)
    case .group(.deleted(let data)): visit(about: data.group, body)
    case .notification(.read(let data)):
      for unread in unread(of: data.user) { body(data.user, unread.seq) }
    case .accountDeleted(let data): visit(changedByDeletionOf: data.user, body)
    default: break
    }
  }

  private func visitChup(
    of workout: WorkoutID, by user: UserID, _ body: (UserID, UInt64) -> Void
  ) {
    if let owner = ownership.owner(of: workout) {
      visit(.chup(workout, big: false), by: user, for: owner, body)
    }
  }

  /// Visits the recipient's notification with the cause of one of this kind by this user.
  private func visit(
    _ kind: Notification.Kind, by user: UserID, for recipient: UserID,
    _ body: (UserID, UInt64) -> Void
  ) {
    guard let at = place(of: kind, by: user, for: recipient),
      let row = lists[recipient.index].dropFirst(at).first
    else { return }
    body(recipient, UInt64(row.seq))
  }

  /// Visits the recipient's notifications that meet a condition.
  private func visit(
    of recipient: UserID, _ body: (UserID, UInt64) -> Void, where isMet: (Row) -> Bool
  ) {
    for row in lists[recipient.index] where isMet(row) { body(recipient, UInt64(row.seq)) }
  }

  /// Visits the notifications with the text of a comment.
  private func visit(about comment: CommentID, _ body: (UserID, UInt64) -> Void) {
    guard commentRecipients[comment.index] > 0 else { return }
    body(UserID(index: commentRecipients[comment.index] - 1), UInt64(comments[comment.index]))
    if let user = answered(by: comment) { body(user, UInt64(replies[comment.index])) }
    if let author = posts[comment.index].author {
      visit(of: author, body) { $0.isHeart(on: comment) }
    }
  }

  /// Visits the notifications about a group. Those of invitations and approvals name its owner.
  private func visit(about group: GroupID, _ body: (UserID, UInt64) -> Void) {
    for user in memberships.users(of: group) { visit(of: user, body) { $0.isAbout(group) } }
  }

  private func visit(
    changedByDeletionOf user: UserID, _ body: (UserID, UInt64) -> Void
  ) {
    let workouts = Set(ownership.workouts(of: user))
    let groups = Set(memberships.groups(ownedBy: user))
    for recipient in lists.indices {
      visit(of: UserID(index: recipient), body) { row in
        if row.user == user || recipient == user.index { return true }
        let kind = row.notification.kind
        return kind.workout.map(workouts.contains) ?? kind.group.map(groups.contains) ?? false
      }
    }
  }

  /// Whether the user has notifications, visible or hidden.
  func has(_ user: UserID) -> Bool { lists.count(of: user.index) > 0 }

  /// Calls `body` with the recipient and the position of each notification until it returns false.
  func forEach(_ body: (UserID, UInt64) -> Bool) {
    for recipient in lists.indices {
      for row in lists[recipient] {
        guard body(UserID(index: recipient), UInt64(row.seq)) else { return }
      }
    }
  }
}
