import Events

extension StatePath.Kind {
  private static func list(_ name: String, _ summary: String) -> StatePath.Kind {
    StatePath.Kind(
      name, summary, of: ["USER"], root: .list(of: .user), types: Relationships.handles,
      visible: .friendship, hiding: .block, sources: [.friend, .block])
  }

  /// The path `friends/USER`: the user's friends.
  public static let friends = list("friends", "the user's friends, newest first")
  /// The path `requests/USER`: the users to whom the user sent open friend requests.
  public static let requests = list("requests", "users whom the user asked to be friends")
  /// The path `pending/USER`: the users from whom the user received open friend requests.
  public static let pending = list("pending", "users who asked the user to be friends")

  /// The path `relationship/USER/USER`: the relationship from the first user's point of view.
  public static let relationship = StatePath.Kind(
    "relationship", "friends, requestSent or requestReceived", of: ["USER", "USER"], root: .text,
    types: Relationships.handles, visible: .friendship, hiding: .block,
    sources: [.friend, .block])
}

extension Relationships: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.relationship, .friends, .requests, .pending]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .relationship, let user = names.find(user: path.ids[0]) else {
      return Values()
    }
    if path.ids.count == 2 {
      return Values(names.find(user: path.ids[1]).flatMap { fact(user, $0, names) })
    }
    let isWhole = event == nil || event?.type == .accountDeleted
    let others =
      isWhole
      ? [friends(of: user), sent(of: user), pending(of: user)].flatMap { $0 }
      : event?.users.filter { $0 != user } ?? []
    return Values(others.compactMap { fact(user, $0, names) }, isWhole: isWhole)
  }

  /// Returns the fact of one user's relationship to another; nil if there is none.
  private func fact(_ user: UserID, _ other: UserID, _ names: Names) -> Fact? {
    let relationship = self[user, other]
    if relationship == .none || relationship == .`self` { return nil }
    return Fact(
      "\(names.path("relationship", user))/\(pathWord(names[other]))",
      .string(relationship.rawValue))
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    func list(_ users: Users, _ relationship: Relationship) -> [StateList] {
      [
        StateList(names.path(path.kind.name, user), users, names) {
          self[user, $0] == relationship
        }
      ]
    }
    return switch path.kind {
    case .friends: list(friends(of: user), .friends)
    case .requests: list(sent(of: user), .requestSent)
    case .pending: list(pending(of: user), .requestReceived)
    default: []
    }
  }
}
