extension ProjectionCommand {
  static let relationships = ProjectionCommand(
    name: "relationships", summary: "friends, requests sent and received, most friends first",
    options: ["--user"], run: { try await askFriends($0, withRequests: true) })

  static let friends = ProjectionCommand(
    name: "friends",
    summary: "users by number of friends, most first; of one user, the friends, newest first",
    options: ["--user"], run: { try await askFriends($0, withRequests: false) })

  static let notifications = ProjectionCommand(
    name: "notifications", summary: "the notifications of one user, newest first",
    options: ["--user"],
    run: { asked in
      let name = try asked.requiredUser("notifications")
      return try await asked.ask(Pair<Notifications, Profiles>()) { state in
        notificationRows(of: try asked.user(name, state), asked, state)
      }
    })
}

/// Answers with every user's number of friends. If the query names a user, answers with that user's
/// friends, and with the user's requests if `withRequests` is true.
private func askFriends(
  _ asked: ProjectionQuestion, withRequests: Bool
) async throws -> ProjectionAnswer {
  let projection = Pair<Relationships, Profiles>()
  guard let name = asked.user else {
    return try await asked.ask(projection, ofAll: true) { friendCounts(asked, $0) }
  }
  return try await asked.ask(projection) { state in
    let user = try asked.user(name, state)
    let lists: [(Relationships.Relationship, Users)] = [
      (.friends, state.views.friends(of: user)),
      (.requestReceived, state.views.pending(of: user)),
      (.requestSent, state.views.sent(of: user)),
    ]
    let path = "relationship/\(StatePath.word(name))/{user}"
    let column = Rows.Column.text("relationship", path: path)
    var out = Rows((withRequests ? [column] : []) + Rows.Column.ofUser)
    for (relationship, users) in lists.prefix(withRequests ? 3 : 1) {
      for other in users.prefix(asked.most) {
        out.add((withRequests ? [.text(relationship.rawValue)] : []) + state.cells(other))
      }
    }
    return out
  }
}

private func friendCounts(_ asked: ProjectionQuestion, _ state: ProjectedState) -> Rows {
  let all = state.views.all
  let ranked = all.profiles.users(state.names).ranked(state.names) {
    all.relationships.friends(of: $0).count
  }
  var out = Rows(
    Rows.Column.ofUser + [
      .number("friends", path: "friends/{user}.count"),
      .number("sent", path: "requests/{user}.count"),
      .number("pending", path: "pending/{user}.count"), .bar,
    ])
  for (user, count) in ranked.prefix(asked.most) {
    out.add(
      state.cells(user) + [
        .int(count), .int(all.relationships.sent(of: user).count),
        .int(all.relationships.pending(of: user).count), .bar(count, of: ranked[0].count),
      ])
  }
  return out
}

private func notificationRows(
  of user: UserID, _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  var out = Rows([
    .number("seq", "EVENT"), .text("time", "WHEN"), .text("kind", "WHAT"), .text("user", "BY"),
    .text("handle"), .text("workout"), .text("comment"), .text("group"), .truth("unread"),
  ])
  for notification in state.views.notifications(of: user, limit: asked.most) {
    out.add([
      .int(Int(notification.seq)), state.time(notification.time), .text(notification.kind.name),
      .text(state.names[notification.user]),
      state.handle(of: notification.user),
      .optional(notification.kind.workout.map { state.names[$0] }),
      .optional(notification.kind.comment.map { state.names[$0] }),
      .optional(notification.kind.group.map { state.names[$0] }), .bool(notification.isUnread),
    ])
  }
  return out
}
