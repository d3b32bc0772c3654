import Events

extension StatePath.Kind {
  /// The paths `group/GROUP.MEMBER`: one for each field or list of users of a group.
  public static let group = StatePath.Kind(
    "group", ".name, .owner; .members, .admins, .invited, .requested: users, newest last",
    of: ["GROUP"],
    members: [
      "name": .text, "description": .text, "isPublic": .truth,
      "owner": .id(of: .user), "createdAt": .text.set(by: [.groupCreated]),
      "members": .list(of: .user).set(by: Groups.handles),
      "admins": .list(of: .user).set(by: Groups.handles),
      "invited": .list(of: .user).set(by: .member),
      "requested": .list(of: .user).set(by: .member),
    ],
    types: Groups.handles, sources: [.group, .members])

  /// The path `groups/USER`: the groups that the user is a member of.
  public static let groups = StatePath.Kind(
    "groups", "groups that the user is a member of, newest last", of: ["USER"],
    root: .list(of: .group),
    types: Groups.handles, sources: [.membership],
    leads: Dictionary(
      uniqueKeysWithValues: EventType.allCases.filter {
        EventTypes.group.union(.member).contains($0)
      }.map { ($0, [.group]) }))
}

extension Groups: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.group, .groups]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .group, let id: GroupID = names.find(path.ids[0]), let group = self[id]
    else { return Values() }
    return Values(
      names.path("group", id),
      [
        ("name", text(group.name)), ("description", text(group.description)),
        ("isPublic", .bool(group.isPublic)), ("owner", text(names[group.owner])),
        ("createdAt", text("\(group.createdAt)")),
      ])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    if path.kind == .group {
      guard let id: GroupID = names.find(path.ids[0]) else { return [] }
      return lists(of: id, names)
    }
    guard let user = names.find(user: path.ids[0]) else { return [] }
    var list = StateList(names.path("groups", user), ids: groups(of: user).reversed(), names)
    list.isNewestFirst = false
    return [list]
  }

  /// Returns a group's lists of users; empty lists if there is no such group.
  private func lists(of id: GroupID, _ names: Names) -> [StateList] {
    func list(_ name: String, _ users: Users, where isListed: @escaping (Standing) -> Bool)
      -> StateList
    {
      var list = StateList(
        names.path("group", id) + "." + name,
        users.reversed().filter { isListed(standing(id, $0)) }, names)
      list.has = { isListed(standing(id, $0)) }
      list.isNewestFirst = false
      return list
    }
    return [
      list("members", members(of: id)) { $0.isMember },
      list("admins", members(of: id)) { $0 == .admin },
      list("invited", waiting(for: id)) { $0 == .invited },
      list("requested", waiting(for: id)) { $0 == .requested },
    ]
  }
}
