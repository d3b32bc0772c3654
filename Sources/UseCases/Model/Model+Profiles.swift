import Aggregates
import Events
import Projections

extension Model {
  /// Returns a user's row in a list, as the viewer sees it; nil for a hidden user.
  /// - Parameters:
  ///   - visibility: how much of the profile the viewer sees; by default the rules decide.
  ///   - time: the start of the relationship that the list shows, such as a follow.
  func row(
    _ user: UserID, for viewer: Viewer, visibility: ProfileVisibility? = nil,
    since time: Timestamp? = nil
  ) -> ProfileRow? {
    let visibility = visibility ?? self.visibility(of: user, viewer)
    guard visibility != .hidden, let profile = views.profile(of: user) else { return nil }
    return row(user, profile, for: viewer, visibility, since: time)
  }

  private func row(
    _ user: UserID, _ profile: Profiles.Profile, for viewer: Viewer,
    _ visibility: ProfileVisibility, since time: Timestamp? = nil
  ) -> ProfileRow {
    var row = ProfileRow(
      user: names[user], handle: profile.handle, displayName: profile.displayName,
      isPublic: profile.isPublic)
    row.friendCount = views.friendCount(of: user)
    row.createdAt = time
    if case .user(let viewer) = viewer {
      row.relationship = .known(views.relationship(of: viewer, to: user))
      row.isFollowedByMe = views.isFollowing(viewer, user)
    }
    guard visibility == .full else { return row }
    row.photoURL = profile.photo.map { address(ofPhoto: $0.url) }
    row.bio = profile.bio
    row.followerCount = views.followerCount(of: user)
    row.followingCount = views.followingCount(of: user)
    row.sendCount = views.sendCount(of: user)
    return row
  }

  package func address(ofPhoto url: String) -> String {
    Caller.address(ofPhoto: url, base: photoBase)
  }

  func rows(
    _ users: some Sequence<UserID>, for viewer: Viewer,
    since: (UserID) -> Timestamp? = { _ in nil }
  ) -> [ProfileRow] {
    users.compactMap { row($0, for: viewer, since: since($0)) }
  }

  /// Returns the rows of one page of a list of users.
  /// - Parameter listsHidden: whether users who are hidden from the viewer get a row, with little
  ///   more than the id. Pass true for the viewer's own lists; other lists omit hidden users.
  func page(
    _ users: some Sequence<UserID>, limit: Int?, offset: Int?, for viewer: Viewer,
    listsHidden: Bool = false, since: (UserID) -> Timestamp?
  ) -> [ProfileRow] {
    let listed = users.lazy.filter { user in
      listsHidden ? views.isOpen(user) : visibility(of: user, viewer) != .hidden
    }
    return listed.dropFirst(max(offset ?? 0, 0)).prefix(clamped(limit)).compactMap { user in
      row(user, for: viewer, since: since(user))
        ?? (listsHidden ? hiddenRow(user, for: viewer, since: since(user)) : nil)
    }
  }

  /// Returns the row of a user who is hidden from the viewer, for one of the viewer's own lists.
  private func hiddenRow(
    _ user: UserID, for viewer: Viewer, since time: Timestamp?
  ) -> ProfileRow {
    var row = ProfileRow(user: names[user], handle: nil, isPublic: false)
    row.isHidden = true
    row.createdAt = time
    if case .user(let viewer) = viewer {
      row.relationship = .known(.none)
      row.isFollowedByMe = views.isFollowing(viewer, user)
    }
    return row
  }

  func users<List: RandomAccessCollection<UserID>>(
    _ list: List, after cursor: PageCursor?, isNewestFirst: Bool = true,
    since: (UserID) -> Timestamp?
  ) -> List.SubSequence where List.Index == Int {
    rest(of: list, after: cursor, isNewestFirst: isNewestFirst, time: since) { names[$0] }
  }

  func profile(_ user: UserID, for viewer: Viewer) -> Profile? {
    let visibility = visibility(of: user, viewer)
    guard visibility != .hidden, let state = views.profile(of: user) else { return nil }
    return profile(user, state, for: viewer, visibility)
  }

  func profile(
    _ user: UserID, _ state: Profiles.Profile, for viewer: Viewer, _ visibility: ProfileVisibility
  ) -> Profile {
    var profile = Profile(row: row(user, state, for: viewer, visibility))
    if visibility == .full {
      profile.details = Profile.Details(state)
      profile.details?.baseLocation = location(of: user, for: viewer)
    }
    if viewer == .user(user) || viewer == .service {
      profile.isPremium = state.premium.contains { $0.expires.instant > now }
      profile.premium = state.premium.map {
        Profile.Premium(product: $0.product, expires: $0.expires, transaction: $0.transaction)
      }
    }
    return profile
  }

  /// Returns a user's profile as that user sees it.
  func ownProfile(_ user: UserID) -> Profile {
    profile(user, for: .user(user))
      ?? Profile(row: ProfileRow(user: names[user], handle: nil))
  }
}
