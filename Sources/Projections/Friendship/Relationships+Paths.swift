import Events

extension StatePath.Kind {
  private static func list(_ name: String, _ summary: String) -> StatePath.Kind {
    StatePath.Kind(
      name, summary, of: ["USER"], root: .list(of: .user), types: Relationships.handles,
      visible: .friendship, hiding: .block, sources: [.friend, .block])
  }

  /// `friends/USER`, `requests/USER` (sent) and `pending/USER` (received).
  public static let friends = list("friends", "who, newest first")
  public static let requests = list("requests", "whom the user has asked to be friends")
  public static let pending = list("pending", "who has asked the user")

  /// `relationship/USER/USER`: the relationship as the first user sees it.
  public static let relationship = StatePath.Kind(
    "relationship", "friends, requestSent or requestReceived", of: ["USER", "USER"], root: .text,
    types: Relationships.handles, visible: .friendship, hiding: .block,
    sources: [.friend, .block])
}

extension Relationships: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.relationship, .friends, .requests, .pending]
  private static let listKinds: [StatePath.Kind] = [.friends, .requests, .pending]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .friendship, .block:
      let users = (copy event).users
      return users.flatMap { user in
        listKinds.map { .path($0, user, names) }
          + users.filter { $0 != user }.map { .path(.relationship, [names[user], names[$0]]) }
      }
    case .accountDeleted(let data):
      return listKinds.map { .path($0, data.user, names) }
        + [.each(EventIndex.Key(.friend, data.user)) { touches($0, names) }]
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user in
      let others = [friends(of: user), sent(of: user), pending(of: user)].flatMap { $0 }
      return lists(of: user, names) + others.compactMap { fact(user, $0, names) }
    }
  }

  /// One user's relationship to another; nil if there is none.
  func fact(_ user: UserID, _ other: UserID, _ names: Names) -> Fact? {
    let relationship = self[user, other]
    if relationship == .none || relationship == .`self` { return nil }
    return Fact(
      "\(names.path("relationship", user))/\(pathWord(names[other]))",
      .string(relationship.rawValue))
  }

  func lists(of user: UserID, _ names: Names) -> [Fact] {
    [
      Fact(names.path("friends", user), list: names.list(friends(of: user))),
      Fact(names.path("requests", user), list: names.list(sent(of: user))),
      Fact(names.path("pending", user), list: names.list(pending(of: user))),
    ].compactMap { $0 }
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .relationship, let user = names.find(user: path.ids[0]) else {
      return Values()
    }
    if path.ids.count == 2 {
      let other = names.find(user: path.ids[1])
      return Values(other.flatMap { fact(user, $0, names) }.map { [$0] } ?? [])
    }
    let isWhole = event == nil || event?.type == .accountDeleted
    let others =
      isWhole
      ? [friends(of: user), sent(of: user), pending(of: user)].flatMap { $0 }
      : event?.users.filter { $0 != user } ?? []
    return Values(others.compactMap { fact(user, $0, names) }, isWhole: isWhole)
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let text = names.path(path.kind.name, user)
    switch path.kind {
    case .friends:
      return [StateList(text, friends(of: user), names) { self[user, $0] == .friends }]
    case .requests:
      return [StateList(text, sent(of: user), names) { self[user, $0] == .requestSent }]
    case .pending:
      return [StateList(text, pending(of: user), names) { self[user, $0] == .requestReceived }]
    default: return []
    }
  }
}
