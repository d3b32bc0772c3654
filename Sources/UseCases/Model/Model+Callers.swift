import Aggregates
import Events
import Projections

extension Model {
  /// The user with this id and an open account; nil if there is none.
  func existing(_ name: String) -> UserID? {
    guard let user = views.find(user: name, in: names), views.isOpen(user) else { return nil }
    return user
  }

  /// The caller, who must have a profile.
  /// - Throws: `unauthorized`, `profileNotFound`.
  func signedIn(_ caller: Caller) throws(UseCaseError) -> UserID {
    guard let name = caller.user else { throw .refused(.unauthorized) }
    guard let user = existing(name) else { throw .refused(.profileNotFound) }
    return user
  }

  /// The user that an input names, or else the caller; nil for one whose profile the caller does
  /// not see in full, or who has none.
  /// - Throws: `unauthorized` if neither is given.
  func subject(_ name: String?, _ caller: Caller) throws(UseCaseError) -> UserID? {
    guard let name = name ?? caller.user else { throw .refused(.unauthorized) }
    // Without a closure, which would copy the model: a fifth of what answering a request costs.
    guard let user = existing(name), visibility(of: user, viewer(caller)) == .full else {
      return nil
    }
    return user
  }

  /// - Throws: `unauthorized` unless the rules allow the caller to search and to list people.
  func checkListing(_ caller: Caller) throws(UseCaseError) {
    if rules.listing == .signedIn, caller.user == nil, caller.service == nil {
      throw .refused(.unauthorized)
    }
  }
}
