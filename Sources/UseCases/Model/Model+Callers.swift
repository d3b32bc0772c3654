import Aggregates
import Events
import Projections

extension Model {
  /// Returns the user with this id; nil if no user with this id has an open account.
  package func existing(_ name: String) -> UserID? {
    guard let user = views.find(user: name, in: names), views.isOpen(user) else { return nil }
    return user
  }

  /// Returns the caller, who must have a profile.
  /// - Throws: `unauthorized` if no user is signed in; `profileNotFound` if the caller has no
  ///   profile.
  package func signedIn(_ caller: Caller) throws(UseCaseError) -> UserID {
    guard let name = caller.user else { throw .refused(.unauthorized) }
    guard let user = existing(name) else { throw .refused(.profileNotFound) }
    return user
  }

  /// Returns the named user; the caller if `name` is nil. Returns nil if the caller does not see
  /// that user's full profile.
  /// - Throws: `unauthorized` if `name` is nil and no user is signed in.
  func subject(_ name: String?, _ caller: Caller) throws(UseCaseError) -> UserID? {
    guard let name = name ?? caller.user else { throw .refused(.unauthorized) }
    guard let user = existing(name), visibility(of: user, viewer(caller)) == .full else {
      return nil
    }
    return user
  }

  /// Checks that the caller may search and list people.
  /// - Throws: `unauthorized` if the caller may not.
  func checkListing(_ caller: Caller) throws(UseCaseError) {
    if rules.listing == .signedIn, caller.user == nil, caller.service == nil {
      throw .refused(.unauthorized)
    }
  }
}
