import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let groups = ProjectionCommand(
    name: "groups",
    summary: "the groups with the most members; of one, who is in it; of a user, theirs",
    options: ["--group", "--user"],
    run: { asked in
      if let group = asked.invocation.value("--group") {
        return try await memberRows(of: group, asked)
      }
      return try await asked.ask(Pair<Groups, Profiles>()) { state throws(Failure) in
        guard let name = asked.user else { return groupRows(allGroups(state), asked, state) }
        return groupRows(state.views.groups(of: try asked.user(name, state)), asked, state)
      }
    })
}

/// Those that are there, the ones with the most members first, ties by id.
private func allGroups(_ state: ProjectedState) -> [GroupID] {
  let groups = state.views.all.groups
  return state.names.all(GroupID.self).filter { groups[$0] != nil }
    .map { (id: $0, name: state.names[$0], count: groups.members(of: $0).count) }
    .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    .map { $0.id }
}

private func groupRows(
  _ groups: [GroupID], _ asked: Projecting, _ state: ProjectedState
) -> ProjectionAnswer {
  var out = Rows([
    .init(name: "group", title: "GROUP", isKey: true, path: "group/{group}.name"),
    .init(name: "name", title: "NAME", path: "group/{group}.name"),
    .init(name: "owner", title: "OWNER", path: "group/{group}.owner"),
    .init(name: "isPublic", title: "PUBLIC", isTruth: true, path: "group/{group}.isPublic"),
    .init(
      name: "members", title: "MEMBERS", alignment: .right, path: "group/{group}.members.count"),
  ])
  for id in groups.prefix(asked.limit ?? .max) {
    guard let group = state.views.group(id) else { continue }
    out.add([
      .text(state.names[id]), .text(group.name), .text(state.names[group.owner]),
      .bool(group.isPublic), .int(state.views.members(of: id).count),
    ])
  }
  return state.answer(out)
}

private func memberRows(
  of name: String, _ asked: Projecting
) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<Groups, Profiles>()) { state throws(Failure) in
    guard let id: GroupID = state.views.find(name, in: state.names),
      state.views.group(id) != nil
    else { throw asked.missing(group: name) }
    let path = "group/\(StatePath.word(name))"
    var out = Rows(
      userColumns + [
        .init(name: "standing", title: "STANDING", path: path + ".members"),
        .init(name: "since", title: "SINCE", path: path + ".members"),
      ])
    let waiting = state.views.waiting(for: id).reversed()
    for user in (state.views.members(of: id).reversed() + waiting).prefix(asked.limit ?? .max) {
      let since = state.views.memberSince(id, user)
      out.add(
        state.userCells(user) + [
          .text("\(state.views.standing(id, user))"),
          since.map { .time($0, before: state.head.time) } ?? .null,
        ])
    }
    return state.answer(out)
  }
}
