import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let profiles = ProjectionCommand(
    name: "profiles", summary: "what users show, by handle", options: ["--user"],
    run: { try await profileRows($0) })

  static let search = ProjectionCommand(
    name: "search", summary: "public profiles by any part of handle or name", options: ["--query"],
    run: { try await searchRows($0) })

  static let sports = ProjectionCommand(
    name: "sports", summary: "how many do each sport, by level", options: ["--user"],
    run: { try await sportRows($0) })

  static let locations = ProjectionCommand(
    name: "locations", summary: "where users are based, by handle", options: ["--user"],
    run: { try await locationRows($0) })
}

extension Projecting {
  /// The user named, or all users by handle.
  fileprivate func users(_ state: ProjectedState) throws(Failure) -> [UserID] {
    guard let user else { return state.views.all.profiles.users(state.names) }
    return [try self.user(user, state)]
  }
}

private func profileRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Profiles()) { state throws(Failure) in
    let out = state.profileRows(of: try asked.users(state).prefix(asked.limit ?? .max))
    return state.answer(out, limit: asked.limit)
  }
}

private func searchRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  guard let query = asked.invocation.value("--query") else {
    throw Failure.usage("project search needs what to look for: add --query TEXT")
  }
  if Search.isTooShort(query) {
    throw Failure.usage("--query \(quoted(query)) is too short: 2 characters are the least")
  }
  let replay = try await asked.replay(Pair<Search, Profiles>())
  var out = Rows(userColumns)
  for user in replay.projection.first.matches(query, limit: asked.limit ?? .max, replay.names) {
    out.add(userCells(user, replay.projection.second, replay.names))
  }
  return asked.answer(out, replay)
}

private func sportRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Profiles()) { state throws(Failure) in
    var out = Rows(
      [
        .init(name: "sport", title: "SPORT", isKey: true),
        .init(name: "users", title: "USERS", alignment: .right),
        .init(name: "mentors", title: "MENTORS", alignment: .right),
      ]
        + SkillLevel.allCases.map {
          .init(name: $0.rawValue, title: $0.rawValue.uppercased(), alignment: .right)
        } + [.init(name: "bar", title: "", isOrnament: true)])
    let users = try asked.users(state)
    let counts = state.views.look(at: .profile, of: users) { $0.profiles.sportCounts(of: users) }
    for count in counts {
      out.add(
        [.text(count.sport), .int(count.users), .int(count.mentors)]
          + SkillLevel.allCases.map { .int(count.levels[$0] ?? 0) }
          + [.bar(count.users, of: counts[0].users)])
    }
    return state.answer(out, limit: asked.limit)
  }
}

private func locationRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Profiles()) { state throws(Failure) in
    var out = Rows(
      userColumns + [
        .init(
          name: "latitude", title: "LATITUDE", alignment: .right,
          path: "profile/{user}.location.latitude"),
        .init(
          name: "longitude", title: "LONGITUDE", alignment: .right,
          path: "profile/{user}.location.longitude"),
        .init(name: "name", title: "PLACE", path: "profile/{user}.location.name"),
      ])
    for user in try asked.users(state) {
      guard let location = state.views.profile(of: user)?.location else { continue }
      out.add(
        state.userCells(user) + [
          .json(JSONValue.double(location.latitude).text),
          .json(JSONValue.double(location.longitude).text), .optional(location.name),
        ])
    }
    return state.answer(out, limit: asked.limit)
  }
}
