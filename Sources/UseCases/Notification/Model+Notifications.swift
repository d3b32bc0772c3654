import Aggregates
import Events
import Projections

extension Model {
  /// Whether a user is shown a notification of theirs, by what they see now.
  func isShown(_ told: Notifications.Notification, to user: UserID) -> Bool {
    let isSeen = visibility(of: told.user, .user(user)) != .hidden
    switch told.kind {
    case .request: return isSeen || isAskedBy(told.user, user)
    case .joinRequest: return !views.isBlocked(user, told.user)
    // The group's own, whoever owns it.
    case .invitation, .approval: return true
    default:
      guard isSeen, told.kind.isAboutOwnComment, let workout = told.kind.workout else {
        return isSeen
      }
      return views.workout(workout).map { sees($0, .user(user)) } ?? false
    }
  }

  /// Whether a notification that is shown names who did it: while a request or an invitation
  /// stands, its receiver sees the sender with it.
  func isNamed(_ told: Notifications.Notification, to user: UserID) -> Bool {
    switch told.kind {
    case .invitation: !views.isBlocked(user, told.user)
    case .approval: visibility(of: told.user, .user(user)) != .hidden
    default: true
    }
  }

  func unreadCount(of user: UserID) -> Int {
    unread(of: user).count
  }

  /// What the user has not read of what they are shown, up to a time.
  func unread(
    of user: UserID, until end: Timestamp = .latest
  ) -> [Notifications.Notification] {
    views.unread(of: user) { $0.time <= end && isShown($0, to: user) }
  }
}
