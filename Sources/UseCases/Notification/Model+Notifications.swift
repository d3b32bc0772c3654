import Aggregates
import Events
import Projections

extension Model {
  /// Returns whether a user now sees one of their notifications.
  func isShown(_ told: Notifications.Notification, to user: UserID) -> Bool {
    let isSeen = visibility(of: told.user, .user(user)) != .hidden
    switch told.kind {
    case .request: return isSeen || isAskedBy(told.user, user)
    case .acceptance, .follow, .chup, .reaction, .comment: return isSeen
    case .reply(_, let workout), .heart(_, let workout):
      return isSeen && views.workout(workout).map { sees($0, .user(user)) } ?? false
    case .joinRequest: return !views.isBlocked(user, told.user)
    // Invitations and approvals come from the group, not from its owner.
    case .invitation, .approval: return true
    }
  }

  /// Returns whether a shown notification names the user who acted. The receiver of an open request
  /// or invitation sees its sender.
  func isNamed(_ told: Notifications.Notification, to user: UserID) -> Bool {
    switch told.kind {
    case .invitation: !views.isBlocked(user, told.user)
    case .approval: visibility(of: told.user, .user(user)) != .hidden
    default: true
    }
  }

  /// Returns the unread notifications up to a time that the user sees.
  func unread(
    of user: UserID, until end: Timestamp = .latest
  ) -> [Notifications.Notification] {
    views.unread(of: user) { $0.time <= end && isShown($0, to: user) }
  }
}
