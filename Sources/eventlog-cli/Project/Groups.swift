extension ProjectionCommand {
  static let groups = ProjectionCommand(
    name: "groups",
    summary: "groups by number of members; of one group, its members; of one user, their groups",
    options: ["--group", "--user"],
    run: { asked in
      try await asked.ask(Pair<Groups, Profiles>()) { state in
        if let name = asked.invocation.value("--group") {
          return try memberRows(of: name, asked, state)
        }
        guard let name = asked.user else { return groupRows(allGroups(state), asked, state) }
        return groupRows(state.views.groups(of: try asked.user(name, state)), asked, state)
      }
    })
}

/// Returns the existing groups, sorted by number of members (largest first), then by id.
private func allGroups(_ state: ProjectedState) -> [GroupID] {
  let groups = state.views.all.groups
  return state.names.all(GroupID.self).filter { groups[$0] != nil }
    .map { (id: $0, name: state.names[$0], count: groups.members(of: $0).count) }
    .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    .map { $0.id }
}

private func groupRows(
  _ groups: [GroupID], _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  var out = Rows([
    .text("group", isKey: true, path: "group/{group}.name"),
    .text("name", path: "group/{group}.name"), .text("owner", path: "group/{group}.owner"),
    .truth("isPublic", "PUBLIC", path: "group/{group}.isPublic"),
    .number("members", path: "group/{group}.members.count"),
  ])
  for id in groups.prefix(asked.most) {
    guard let group = state.views.group(id) else { continue }
    out.add([
      .text(state.names[id]), .text(group.name), .text(state.names[group.owner]),
      .bool(group.isPublic), .int(state.views.members(of: id).count),
    ])
  }
  return out
}

private func memberRows(
  of name: String, _ asked: ProjectionQuestion, _ state: ProjectedState
) throws(Failure) -> Rows {
  guard let id: GroupID = state.views.find(name, in: state.names), state.views.group(id) != nil
  else { throw asked.missing("group", name) }
  let path = "group/\(StatePath.word(name)).members"
  var out = Rows(
    Rows.Column.ofUser + [.text("standing", path: path), .text("since", path: path)])
  let waiting = state.views.waiting(for: id).reversed()
  for user in (state.views.members(of: id).reversed() + waiting).prefix(asked.most) {
    let since = state.views.memberSince(id, user)
    out.add(
      state.cells(user) + [
        .text("\(state.views.standing(id, user))"), since.map { state.time($0) } ?? .null,
      ])
  }
  return out
}
