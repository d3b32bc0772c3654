import Events
import Projections

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
  fileprivate func users(_ profiles: Profiles, _ names: Names) throws(Failure) -> [UserID] {
    guard let user else { return profiles.users(names) }
    guard let id = names.find(user: user), profiles[id] != nil else { throw missing(user: user) }
    return [id]
  }
}

private func profileRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Profiles())
  let profiles = replay.projection
  var out = Rows(
    userColumns + [
      .init(
        name: "isPublic", title: "PUBLIC", isTruth: true, path: "profile/{user}.isPublic"),
      .init(name: "bio", title: "BIO", path: "profile/{user}.bio"),
      .init(name: "photoURL", title: "PHOTO", path: "profile/{user}.photo"),
      .init(name: "riderType", title: "RIDER", path: "profile/{user}.riderType"),
      .init(
        name: "sendCount", title: "SENDS", alignment: .right, path: "profile/{user}.sendCount"),
      .init(name: "createdAt", title: "CREATED", path: "profile/{user}.createdAt"),
      .init(name: "updatedAt", title: "UPDATED", path: "profile/{user}.updatedAt"),
    ])
  for user in try asked.users(profiles, replay.names).prefix(asked.limit ?? .max) {
    guard let profile = profiles[user] else { continue }
    out.add(
      userCells(user, profiles, replay.names) + [
        .bool(profile.isPublic), profile.bio.map(Cell.text) ?? .null,
        (profile.photo?.url).map(Cell.text) ?? .null,
        (profile.riderType?.rawValue).map(Cell.text) ?? .null, .int(profile.sendCount),
        .time(profile.createdAt, before: replay.head.time),
        .time(profile.updatedAt, before: replay.head.time),
      ])
  }
  return asked.answer(out, replay)
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
  let replay = try await asked.replay(Profiles())
  var out = Rows(
    [
      .init(name: "sport", title: "SPORT", isKey: true),
      .init(name: "users", title: "USERS", alignment: .right),
      .init(name: "mentors", title: "MENTORS", alignment: .right),
    ]
      + SkillLevel.allCases.map {
        .init(name: $0.rawValue, title: $0.rawValue.uppercased(), alignment: .right)
      } + [.init(name: "bar", title: "", isOrnament: true)])
  let profiles = replay.projection
  let counts = profiles.sportCounts(of: try asked.users(profiles, replay.names))
  for count in counts {
    out.add(
      [.text(count.sport), .int(count.users), .int(count.mentors)]
        + SkillLevel.allCases.map { .int(count.levels[$0] ?? 0) }
        + [.bar(count.users, of: counts[0].users)])
  }
  return asked.answer(out, replay)
}

private func locationRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Profiles())
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
  for user in try asked.users(replay.projection, replay.names) {
    guard let location = replay.projection[user]?.location else { continue }
    out.add(
      userCells(user, replay.projection, replay.names) + [
        .json(JSONValue.double(location.latitude).text),
        .json(JSONValue.double(location.longitude).text), location.name.map(Cell.text) ?? .null,
      ])
  }
  return asked.answer(out, replay)
}
