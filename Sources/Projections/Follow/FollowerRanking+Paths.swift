import Events

extension StatePath.Kind {
  /// `followers/USER`: a list, and its `.count`, which exists as soon as the account does.
  public static let followers = StatePath.Kind(
    "followers", "who, newest first; .count is how many", of: ["USER"], root: .list(of: .user),
    countsEmptyLists: true,
    types: FollowLists.handles, visible: .follow, hiding: .block,
    sources: [.followee, .profile, .block])

  /// `following/USER`: like `followers`.
  public static let following = StatePath.Kind(
    "following", "who, newest first; .count is how many", of: ["USER"], root: .list(of: .user),
    countsEmptyLists: true,
    types: FollowLists.handles, visible: .follow, hiding: .block,
    sources: [.follower, .profile, .block])
}

extension FollowerRanking: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.followers, .following]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .profile(.created(let data)): kinds.map { .path($0, data.user, names) }
    // `FollowLists` declares these.
    default: []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user in
      Self.kinds.compactMap { count($0, of: user, names.path($0.name, user)) }
    }
  }

  private func count(_ kind: StatePath.Kind, of user: UserID, _ path: String) -> Fact? {
    let row = row(user)
    let count = kind == .followers ? row.followerCount : row.followingCount
    return count > 0 || handles.isOpen(row.user) ? Fact(path + ".count", .int(count)) : nil
  }

  // `FollowLists` has the counts without waiting for `settle`, and the lists.
  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    Values()
  }
  public func lists(under path: StatePath, _ names: Names) -> [StateList] { [] }

  public mutating func code(with coder: inout StateCoder) {
    followers.code(with: &coder)
    handles.code(with: &coder)
  }
}
