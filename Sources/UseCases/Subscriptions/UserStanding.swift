import Events

/// Whether the log knows a user.
package enum UserStanding: Sendable {
  /// The user has a profile.
  case open
  /// The user deleted the account.
  case deleted
  /// The user never had a profile, or was erased.
  case unknown
}

extension Core {
  /// Returns whether the log knows a user, as of the last event that queries see. A UUID may be in
  /// upper or lower case.
  package func standing(of user: String) -> UserStanding {
    state.withLock { state in
      guard let number = state.model.names.resolve(user: user) else { return .unknown }
      if state.model.views.isOpen(number) { return .open }
      return state.model.views.isDeleted(number) ? .deleted : .unknown
    }
  }
}
