import Events

extension StatePath.Kind {
  /// The path `followers/USER`, a list, and its `.count`, which exists once the account is open.
  public static let followers = edges("followers", sources: [.followee, .profile, .block])

  /// The path `following/USER`, a list, and its `.count`, which exists once the account is open.
  public static let following = edges("following", sources: [.follower, .profile, .block])

  private static func edges(_ name: String, sources: [EventIndex.Role]) -> StatePath.Kind {
    StatePath.Kind(
      name, "users, newest first; .count: their number", of: ["USER"], root: .list(of: .user),
      countsEmptyLists: true, types: FollowLists.handles, visible: .follow, hiding: .block,
      sources: sources)
  }
}

extension FollowLists: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.followers, .following]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let user = names.find(user: path.ids[0]) else { return Values() }
    let count = (path.kind == .followers ? followers(of: user) : following(of: user)).count
    guard count > 0 || hasAccount(user) else { return Values() }
    return Values(Fact(names.path(path.kind.name, user) + ".count", .int(count)))
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let text = names.path(path.kind.name, user)
    return path.kind == .followers
      ? [StateList(text, followers(of: user), names) { isFollowing($0, user) }]
      : [StateList(text, following(of: user), names) { isFollowing(user, $0) }]
  }
}
