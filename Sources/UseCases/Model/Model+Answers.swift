import Aggregates
import Events
import Projections

// What queries say while they answer.
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

  /// A workout that the caller may see.
  /// - Throws: `workoutNotFound`, `notVisible`.
  func visible(_ workout: String, to caller: Caller) throws(UseCaseError) -> WorkoutShared {
    guard let id = names.find(workout: workout), let shared = views.workouts[id] else {
      throw .refused(.workoutNotFound)
    }
    guard let viewer = caller.user.flatMap(existing), sight(shared.owner, viewer) == .visible
    else { throw .refused(.notVisible) }
    return shared
  }

  /// What a viewer with a profile may know of the workouts of an owner with one.
  private func sight(_ owner: UserID, _ viewer: UserID) -> Sight {
    Sight(
      viewer: viewer, hasProfile: true, owner: owner,
      views.relationships[viewer, owner] == .friends ? .friends : .none)
  }

  /// Whether a caller sees more of a profile than its handle and name.
  func isOpen(_ profile: Profiles.Profile, of user: UserID, to caller: Caller) -> Bool {
    profile.isPublic || caller.user == names[user]
  }

  func row(_ user: UserID, for caller: Caller) -> ProfileRow? {
    guard let profile = views.profiles[user] else { return nil }
    var row = ProfileRow(
      user: names[user], handle: profile.handle, displayName: profile.displayName,
      isPublic: profile.isPublic)
    guard isOpen(profile, of: user, to: caller) else { return row }
    row.photoURL = profile.photo?.url
    row.bio = profile.bio
    row.followerCount = views.following.followers(of: user).count
    row.followingCount = views.following.following(of: user).count
    row.sendCount = profile.sendCount
    return row
  }

  func rows(_ users: some Sequence<UserID>, for caller: Caller) -> [ProfileRow] {
    users.compactMap { row($0, for: caller) }
  }

  /// A page of users, as rows.
  func page(
    _ users: some RandomAccessCollection<UserID>, limit: Int?, offset: Int?, for caller: Caller
  ) -> [ProfileRow] {
    rows(users.dropFirst(max(offset ?? 0, 0)).prefix(clamped(limit)), for: caller)
  }

  func profile(_ user: UserID, for caller: Caller) -> Profile? {
    guard let row = row(user, for: caller), let state = views.profiles[user] else { return nil }
    var profile = Profile(row: row, friendCount: views.relationships.friends(of: user).count)
    if isOpen(state, of: user, to: caller) { profile.details = Profile.Details(state) }
    return profile
  }
}

extension Fields {
  /// The field `limit`, which is described alike wherever there are pages: see `clamped`.
  mutating func limit() throws(InputError) -> Int? {
    try optional(
      "limit", "At most so many: 1 to 50, 20 by default. Less counts as 1, more as 50.")
  }

  /// The field `offset`; less than 0 counts as 0.
  mutating func offset() throws(InputError) -> Int? {
    try optional("offset", "How many to pass over first: 0 by default. Less counts as 0.")
  }
}

/// A page's length: 1 to 50, 20 by default; less counts as 1, more as 50.
func clamped(_ limit: Int?) -> Int { min(max(limit ?? 20, 1), 50) }
