import Aggregates
import Events
import Projections

extension Model {
  /// The user of this name with an open account.
  func existing(_ name: String) -> UserID? {
    guard let user = names.find(user: name), views.profiles[user] != nil else { return nil }
    return user
  }

  /// The caller, who has to have a profile.
  /// - Throws: `unauthorized`, `profileNotFound`.
  func viewer(_ caller: Caller) throws(UseCaseError) -> UserID {
    guard let name = caller.user else { throw .refused(.unauthorized) }
    guard let user = existing(name) else { throw .refused(.profileNotFound) }
    return user
  }

  /// The user that an input names, or else the caller; nil for one without a profile.
  /// - Throws: `unauthorized` where neither is there.
  func subject(_ name: String?, _ caller: Caller) throws(UseCaseError) -> UserID? {
    guard let name = name ?? caller.user else { throw .refused(.unauthorized) }
    return existing(name)
  }
}
