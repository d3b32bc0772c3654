import Events

extension FollowLists: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.followers, .following]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .follow(.followed(let edge)), .follow(.unfollowed(let edge)):
      [.path(.followers, edge.followee, names), .path(.following, edge.follower, names)]
    case .block(.blocked(let block)), .block(.unblocked(let block)):
      [block.user, block.other].flatMap {
        [Touch.path(.followers, $0, names), .path(.following, $0, names)]
      }
    case .accountDeleted(let data):
      [
        .path(.followers, data.user, names), .path(.following, data.user, names),
        .each(EventIndex.Key(.followee, data.user)) { touches($0, names) },
        .each(EventIndex.Key(.follower, data.user)) { touches($0, names) },
      ]
    default: []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { facts(about: $0, names) }
  }

  func facts(about user: UserID, _ names: Names) -> [Fact] {
    [
      Fact(names.path("followers", user), list: names.list(followers(of: user))),
      Fact(names.path("following", user), list: names.list(following(of: user))),
    ].compactMap { $0 }
  }

  /// The counts are also in `FollowerRanking`, which however accounts for a deletion only in
  /// `settle`.
  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard let user = names.find(user: path.ids[0]) else { return Values() }
    let count = (path.kind == .followers ? followers(of: user) : following(of: user)).count
    guard count > 0 || hasAccount(user) else { return Values() }
    return Values([Fact(names.path(path.kind.name, user) + ".count", .int(count))])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let text = names.path(path.kind.name, user)
    return path.kind == .followers
      ? [StateList(text, followers(of: user), names) { isFollowing($0, user) }]
      : [StateList(text, following(of: user), names) { isFollowing(user, $0) }]
  }
}
