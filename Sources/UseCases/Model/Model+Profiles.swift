import Events
import Projections

extension Model {
  /// Whether a caller sees more of a profile than its handle and name.
  func isOpen(_ profile: Profiles.Profile, of user: UserID, to caller: Caller) -> Bool {
    profile.isPublic || caller.user == names[user]
  }

  func row(_ user: UserID, for caller: Caller) -> ProfileRow? {
    guard let profile = views.profile(of: user) else { return nil }
    var row = ProfileRow(
      user: names[user], handle: profile.handle, displayName: profile.displayName,
      isPublic: profile.isPublic)
    guard isOpen(profile, of: user, to: caller) else { return row }
    row.photoURL = profile.photo?.url
    row.bio = profile.bio
    row.followerCount = views.followers(of: user).count
    row.followingCount = views.following(of: user).count
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
    guard let row = row(user, for: caller), let state = views.profile(of: user) else { return nil }
    var profile = Profile(row: row, friendCount: views.friends(of: user).count)
    if isOpen(state, of: user, to: caller) { profile.details = Profile.Details(state) }
    return profile
  }

  /// What a user sees of their own profile.
  func ownProfile(_ user: UserID) -> Profile {
    profile(user, for: Caller(names[user]))
      ?? Profile(row: ProfileRow(user: names[user], handle: nil), friendCount: 0)
  }
}
