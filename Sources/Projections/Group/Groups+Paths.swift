import Events

extension StatePath.Kind {
  /// `group/GROUP.MEMBER`.
  public static let group = StatePath.Kind(
    "group", ".name, .owner; .members, .admins, .invited, .requested: who, the newest last",
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

  /// `groups/USER`.
  public static let groups = StatePath.Kind(
    "groups", "of which the user is a member, the newest last", of: ["USER"],
    root: .list(of: .group),
    types: Groups.handles, sources: [.membership],
    leads: Dictionary(
      uniqueKeysWithValues: EventType.allCases.filter {
        EventTypes.group.union(.member).contains($0)
      }.map { ($0, [.group]) }))
}

extension Groups: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.group, .groups]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    func users(_ event: Event) -> [Touch] { event.users.map { .path(.groups, $0, names) } }
    switch event {
    case .group(.edited(let data)): return [.path(.group, data.group, names)]
    case .group(let event):
      // One whose owner is gone is gone for all its members.
      return Event.group(event).ids.only(GroupID.self).flatMap { group -> [Touch] in
        [
          .path(.group, group, names), .each(EventIndex.Key(.group, group), users),
          .each(EventIndex.Key(.members, group), users),
        ]
      }
    case .member(let event):
      return [.path(.group, event.group, names), .path(.groups, event.user, names)]
    case .accountDeleted(let data):
      return [
        .path(.groups, data.user, names),
        .each(EventIndex.Key(.membership, data.user)) { touches($0, names) },
      ]
    default: return []
    }
  }

  public func facts(_ names: Names) -> [Fact] {
    names.all(GroupID.self).flatMap { facts(about: $0, names) + lists(of: $0, names).facts }
      + names.users().compactMap {
        Fact(names.path("groups", $0), list: groups(of: $0).reversed().map { names[$0] })
      }
  }

  func facts(about id: GroupID, _ names: Names) -> [Fact] {
    guard let group = self[id] else { return [] }
    return Projections.facts(
      names.path("group", id),
      [
        ("name", text(group.name)), ("description", text(group.description)),
        ("isPublic", .bool(group.isPublic)), ("owner", text(names[group.owner])),
        ("createdAt", text("\(group.createdAt)")),
      ])
  }

  /// The lists of a group, empty if it is not there.
  private func lists(of id: GroupID, _ names: Names) -> [StateList] {
    let path = names.path("group", id)
    func list(_ name: String, _ users: Users, where isListed: @escaping (Standing) -> Bool)
      -> StateList
    {
      var list = StateList(
        "\(path).\(name)", users.reversed().filter { isListed(standing(id, $0)) }, names)
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

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .group, let id: GroupID = names.find(path.ids[0]) else { return Values() }
    return Values(facts(about: id, names))
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    if path.kind == .group {
      guard let id: GroupID = names.find(path.ids[0]) else { return [] }
      return lists(of: id, names)
    }
    guard let user = names.find(user: path.ids[0]) else { return [] }
    let groups = Array(groups(of: user).reversed())
    var list = StateList(
      names.path("groups", user), count: groups.count, key: { UInt64(groups[$0].index) },
      name: { names[GroupID(index: UInt32($0))] })
    list.isNewestFirst = false
    return [list]
  }
}

extension [StateList] {
  /// The lists as pieces of state.
  fileprivate var facts: [Fact] { compactMap { $0.fact } }
}
