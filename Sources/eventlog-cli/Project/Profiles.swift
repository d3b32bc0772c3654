extension ProjectionCommand {
  static let profiles = ProjectionCommand(
    name: "profiles", summary: "the users' profiles, by handle", options: ["--user"],
    run: { asked in
      try await asked.ask(Profiles()) { state in
        state.profileRows(of: try asked.users(state).prefix(asked.most))
      }
    })

  static let search = ProjectionCommand(
    name: "search", summary: "public profiles by any part of handle or name", options: ["--query"],
    run: { asked in
      guard let query = asked.invocation.value("--query") else {
        throw Failure.usage("project search needs a text to search for: add --query TEXT")
      }
      if Search.isTooShort(query) {
        throw Failure.usage(
          "--query \(quoted(query)) is too short: at least 2 characters are needed")
      }
      return try await asked.ask(Pair<Search, Profiles>(), ofAll: true) { state in
        var out = Rows(Rows.Column.ofUser)
        for user in state.views.all.search.matches(query, limit: asked.most, state.names) {
          out.add(state.cells(user))
        }
        return out
      }
    })

  static let sports = ProjectionCommand(
    name: "sports", summary: "the number of users of each sport, by level", options: ["--user"],
    run: { asked in
      try await asked.ask(Profiles()) { state in sportRows(of: try asked.users(state), asked, state)
      }
    })

  static let locations = ProjectionCommand(
    name: "locations", summary: "where users are based, by handle", options: ["--user"],
    run: { asked in
      try await asked.ask(Profiles()) { state in
        locationRows(of: try asked.users(state), asked, state)
      }
    })
}

extension ProjectionQuestion {
  /// Returns the user in `--user`; without this option all users, sorted by handle.
  fileprivate func users(_ state: ProjectedState) throws(Failure) -> [UserID] {
    guard let user else { return state.views.all.profiles.users(state.names) }
    return [try self.user(user, state)]
  }
}

private func sportRows(
  of users: [UserID], _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  var out = Rows(
    [.text("sport", isKey: true), .number("users"), .number("mentors")]
      + SkillLevel.allCases.map { .number($0.rawValue) } + [.bar])
  let counts = state.views.look(at: .profile, of: users) { $0.profiles.sportCounts(of: users) }
  for count in counts.prefix(asked.most) {
    out.add(
      [.text(count.sport), .int(count.users), .int(count.mentors)]
        + SkillLevel.allCases.map { .int(count.levels[$0] ?? 0) }
        + [.bar(count.users, of: counts[0].users)])
  }
  return out
}

private func locationRows(
  of users: [UserID], _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  var out = Rows(
    Rows.Column.ofUser + [
      .number("latitude", path: "profile/{user}.location.latitude"),
      .number("longitude", path: "profile/{user}.location.longitude"),
      .text("name", "PLACE", path: "profile/{user}.location.name"),
    ])
  for user in users where out.rows.count < asked.most {
    guard let location = state.views.profile(of: user)?.location else { continue }
    out.add(
      state.cells(user) + [
        .json(JSONValue.double(location.latitude).text),
        .json(JSONValue.double(location.longitude).text), .optional(location.name),
      ])
  }
  return out
}
