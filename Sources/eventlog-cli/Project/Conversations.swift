extension ProjectionCommand {
  static let conversations = ProjectionCommand(
    name: "conversations",
    summary: "conversations, the newest message first; of two users, their messages",
    options: ["--user", "--with"],
    run: { asked in
      let other = asked.invocation.value("--with")
      if other != nil, asked.user == nil {
        throw Failure.usage("--with names the other user of a conversation: add --user U")
      }
      return try await asked.ask(Pair<Conversations, Profiles>()) { state in
        guard let other, let user = asked.user else { return try conversationRows(asked, state) }
        return try messageRows(user, other, asked, state)
      }
    })
}

private func conversationRows(
  _ asked: ProjectionQuestion, _ state: ProjectedState
) throws(Failure) -> Rows {
  var found: [(user: UserID, other: UserID, last: Conversations.Message)] = []
  func add(_ user: UserID, _ other: UserID) {
    guard let last = state.views.lastMessage(user, other).flatMap({ state.views.message($0) })
    else { return }
    found.append((user, other, last))
  }
  if let name = asked.user {
    let user = try asked.user(name, state)
    for other in state.views.partners(of: user) { add(user, other) }
  } else {
    let all = state.views.all.conversations
    for user in state.names.all(UserID.self) {
      for other in all.partners(of: user)
      where !state.names.precedes(other, user) { add(user, other) }
    }
  }
  found.sort { $0.last.seq > $1.last.seq }
  var out = Rows([
    .text("user", isKey: true), .text("other", "WITH", isKey: true),
    .number("messages", path: "conversation/{user}/{other}.count"),
    .number("unread", path: "unread/{user}/{other}"), .text("last"),
  ])
  for (user, other, last) in found.prefix(asked.most) {
    out.add([
      .text(state.names[user]), .text(state.names[other]),
      .int(state.views.messages(user, other).count),
      .int(state.views.unread(by: user, from: other)), state.time(last.time),
    ])
  }
  return out
}

private func messageRows(
  _ name: String, _ otherName: String, _ asked: ProjectionQuestion, _ state: ProjectedState
) throws(Failure) -> Rows {
  // Messages stay after an account is deleted, so the users need no open account.
  guard let user = state.find(user: name) else { throw asked.missing("user", name) }
  guard let other = state.find(user: otherName) else { throw asked.missing("user", otherName) }
  var out = Rows([
    .number("seq", "EVENT"), .text("message", isKey: true, path: "message/{message}.text"),
    .text("sender", "BY", path: "message/{message}.sender"),
    .text("text", path: "message/{message}.text"),
    .text("time", "WHEN", path: "message/{message}.time"),
  ])
  for id in state.views.messages(user, other).reversed().prefix(asked.most) {
    guard let message = state.views.message(id) else { continue }
    out.add([
      .int(Int(message.seq)), .text(state.names[id]),
      .optional(message.sender.map { state.names[$0] }), .text(message.text),
      state.time(message.time),
    ])
  }
  return out
}
