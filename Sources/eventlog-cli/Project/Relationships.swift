import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let relationships = ProjectionCommand(
    name: "relationships", summary: "friends, requests sent and received, most friends first",
    options: ["--user"],
    run: { asked in
      if let user = asked.user {
        return try await relationshipRows(of: user, asked, friendsOnly: false)
      } else {
        return try await friendCounts(asked)
      }
    })

  static let friends = ProjectionCommand(
    name: "friends", summary: "who has how many friends, most first; of one, the newest first",
    options: ["--user"],
    run: { asked in
      if let user = asked.user {
        return try await relationshipRows(of: user, asked, friendsOnly: true)
      } else {
        return try await friendCounts(asked)
      }
    })

  static let notifications = ProjectionCommand(
    name: "notifications", summary: "what one user is told of, newest first", options: ["--user"],
    run: { try await notificationRows($0) })
}

private func friendCounts(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Pair<Relationships, Profiles>())
  let (relationships, profiles) = (replay.projection.first, replay.projection.second)
  let ranked = profiles.users(replay.names).ranked(replay.names) {
    relationships.friends(of: $0).count
  }
  let most = ranked.first?.count ?? 0
  var out = Rows(
    userColumns + [
      .init(
        name: "friends", title: "FRIENDS", alignment: .right, path: "friends/{user}.count"),
      .init(name: "sent", title: "SENT", alignment: .right, path: "requests/{user}.count"),
      .init(name: "pending", title: "PENDING", alignment: .right, path: "pending/{user}.count"),
      .init(name: "bar", title: "", isOrnament: true),
    ])
  for (user, count) in ranked.prefix(asked.limit ?? .max) {
    out.add(
      userCells(user, profiles, replay.names) + [
        .int(count), .int(relationships.sent(of: user).count),
        .int(relationships.pending(of: user).count), .bar(count, of: most),
      ])
  }
  return asked.answer(out, replay)
}

private func relationshipRows(
  of name: String, _ asked: Projecting, friendsOnly: Bool
) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<Relationships, Profiles>()) { state throws(Failure) in
    let user = try asked.user(name, state)
    let lists: [(Relationships.Relationship, Users)] = [
      (.friends, state.views.friends(of: user)),
      (.requestReceived, state.views.pending(of: user)),
      (.requestSent, state.views.sent(of: user)),
    ]
    let relationship = "relationship/\(StatePath.word(name))/{user}"
    var out = Rows(
      (friendsOnly
        ? [] : [.init(name: "relationship", title: "RELATIONSHIP", path: relationship)])
        + userColumns)
    for (relationship, users) in lists.prefix(friendsOnly ? 1 : 3) {
      for other in users.prefix(asked.limit ?? .max) {
        out.add(
          (friendsOnly ? [] : [.text(relationship.rawValue)]) + state.userCells(other))
      }
    }
    return state.answer(out)
  }
}

private func notificationRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let name = try asked.requiredUser("notifications")
  return try await asked.ask(Pair<Notifications, Profiles>()) { state throws(Failure) in
    let user = try asked.user(name, state)
    var out = Rows([
      .init(name: "seq", title: "EVENT", alignment: .right), .init(name: "time", title: "WHEN"),
      .init(name: "kind", title: "WHAT"), .init(name: "user", title: "BY"),
      .init(name: "handle", title: "HANDLE"), .init(name: "workout", title: "WORKOUT"),
      .init(name: "comment", title: "COMMENT"), .init(name: "group", title: "GROUP"),
      .init(name: "unread", title: "UNREAD", isTruth: true),
    ])
    for told in state.views.notifications(of: user, limit: asked.limit ?? .max) {
      out.add([
        .int(Int(told.seq)), .time(told.time, before: state.head.time), .text(told.kind.words),
        .text(state.names[told.user]), state.handle(of: told.user),
        told.kind.workout.map { .text(state.names[$0]) } ?? .null,
        told.kind.comment.map { .text(state.names[$0]) } ?? .null,
        told.kind.group.map { .text(state.names[$0]) } ?? .null, .bool(told.isUnread),
      ])
    }
    return state.answer(out)
  }
}
