import Events
import Projections

extension ProjectionCommand {
  static let profiles = ProjectionCommand(
    name: "profiles", summary: "what users show, by handle", options: ["--user"],
    run: { try await writeProfiles($0) })

  static let search = ProjectionCommand(
    name: "search", summary: "public profiles by any part of handle or name", options: ["--query"],
    run: { try await writeSearch($0) })

  static let sports = ProjectionCommand(
    name: "sports", summary: "how many do each sport, by level", options: ["--user"],
    run: { try await writeSports($0) })

  static let locations = ProjectionCommand(
    name: "locations", summary: "where users are based, by handle", options: ["--user"],
    run: { try await writeLocations($0) })
}

extension Projecting {
  /// The user named, or all of them by handle.
  fileprivate func users(_ profiles: Profiles, _ names: Names) throws(Failure) -> [UserID] {
    guard let user else { return profiles.users(names) }
    guard let id = names.find(user: user), profiles[id] != nil else { throw missing(user: user) }
    return [id]
  }
}

private func writeProfiles(_ asked: Projecting) async throws {
  let replay = try await asked.replay(Profiles())
  let profiles = replay.projection
  var out = Rows(
    userColumns + [
      .init(name: "isPublic", title: "PUBLIC"), .init(name: "bio", title: "BIO"),
      .init(name: "photoURL", title: "PHOTO"), .init(name: "riderType", title: "RIDER"),
      .init(name: "sendCount", title: "SENDS", alignment: .right),
      .init(name: "createdAt", title: "CREATED"), .init(name: "updatedAt", title: "UPDATED"),
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
  asked.write(out, replay)
}

private func writeSearch(_ asked: Projecting) async throws {
  guard let query = asked.invocation.value("--query") else {
    throw Failure.usage("project search needs what to look for: add --query TEXT")
  }
  if Search.isTooShort(query) {
    throw Failure.usage("--query \(quoted(query)) is too short: 2 characters are the least")
  }
  let replay = try await asked.replay(Pair<Search, Profiles>())
  var out = Rows(userColumns)
  for user in replay.projection.first.matches(query, limit: asked.limit ?? .max) {
    out.add(userCells(user, replay.projection.second, replay.names))
  }
  asked.write(out, replay)
}

private func writeSports(_ asked: Projecting) async throws {
  let replay = try await asked.replay(Profiles())
  var levels: [String: [SkillLevel: Int]] = [:]
  var mentors: [String: Int] = [:]
  for user in try asked.users(replay.projection, replay.names) {
    for sport in replay.projection[user]?.sports ?? [] {
      levels[sport.sport.name, default: [:]][sport.level, default: 0] += 1
      if sport.isMentor { mentors[sport.sport.name, default: 0] += 1 }
    }
  }
  var out = Rows(
    [
      .init(name: "sport", title: "SPORT"),
      .init(name: "users", title: "USERS", alignment: .right),
      .init(name: "mentors", title: "MENTORS", alignment: .right),
    ]
      + SkillLevel.allCases.map {
        .init(name: $0.rawValue, title: $0.rawValue.uppercased(), alignment: .right)
      } + [.init(name: "bar", title: "", isOrnament: true)])
  let counts = levels.map { (sport: $0.key, users: $0.value.values.reduce(0, +)) }
  let most = counts.map(\.users).max() ?? 0
  for (sport, users) in counts.sorted(by: { ($1.users, $0.sport) < ($0.users, $1.sport) }) {
    out.add(
      [.text(sport), .int(users), .int(mentors[sport] ?? 0)]
        + SkillLevel.allCases.map { .int(levels[sport]?[$0] ?? 0) } + [.bar(users, of: most)])
  }
  asked.write(out, replay)
}

private func writeLocations(_ asked: Projecting) async throws {
  let replay = try await asked.replay(Profiles())
  var out = Rows(
    userColumns + [
      .init(name: "latitude", title: "LATITUDE", alignment: .right),
      .init(name: "longitude", title: "LONGITUDE", alignment: .right),
      .init(name: "name", title: "PLACE"),
    ])
  for user in try asked.users(replay.projection, replay.names) {
    guard let location = replay.projection[user]?.location else { continue }
    out.add(
      userCells(user, replay.projection, replay.names) + [
        .json(JSONValue.double(location.latitude).text),
        .json(JSONValue.double(location.longitude).text), location.name.map(Cell.text) ?? .null,
      ])
  }
  asked.write(out, replay)
}
