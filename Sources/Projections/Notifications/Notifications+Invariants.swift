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
        if let workout = told.kind.workout {
          let owner = ownership.owner(of: workout)
          if told.kind.isAboutOwnComment {
            if owner == nil { return "\(names[user]) is told of \(names[workout]), which is gone" }
          } else if owner != user {
            return "\(names[user]) is told of \(names[workout]), which is another's or gone"
          }
        }
        if let group = told.kind.group, !isRight(told.kind, group, user, told.user) {
          return "\(names[user]) is told of \(names[group]) what is no longer so"
        }
      }
    }
    return nil
  }

  private func isRight(
    _ kind: Notification.Kind, _ group: GroupID, _ user: UserID, _ other: UserID
  ) -> Bool {
    let standing = memberships.standing(group, user)
    return switch kind {
    case .invitation: standing == .invited
    case .approval: standing.isMember
    default:
      standing.isAdmin
        && (memberships.standing(group, other) == .requested || ownership.isGone(other))
    }
  }
}
