import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let conversations = ProjectionCommand(
    name: "conversations",
    summary: "who writes to whom, the newest message first; of two, their messages",
    options: ["--user", "--with"],
    run: { asked in
      guard let other = asked.invocation.value("--with") else {
        return try await conversationRows(asked)
      }
      guard let user = asked.user else {
        throw Failure.usage("--with names the other of two: add --user U")
      }
      return try await messageRows(user, other, asked)
    })
}

private func conversationRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<Conversations, Profiles>()) { state throws(Failure) in
    let user = try asked.user.map { (name) throws(Failure) in try asked.user(name, state) }
    var found: [(user: UserID, other: UserID, last: Conversations.Message)] = []
    func add(_ user: UserID, _ other: UserID) {
      guard let last = state.views.lastMessage(user, other).flatMap({ state.views.message($0) })
      else { return }
      found.append((user, other, last))
    }
    if let user {
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
      .init(name: "user", title: "USER", isKey: true),
      .init(name: "other", title: "WITH", isKey: true),
      .init(
        name: "messages", title: "MESSAGES", alignment: .right,
        path: "conversation/{user}/{other}.count"),
      .init(name: "unread", title: "UNREAD", alignment: .right, path: "unread/{user}/{other}"),
      .init(name: "last", title: "LAST"),
    ])
    for (user, other, last) in found.prefix(asked.limit ?? .max) {
      out.add([
        .text(state.names[user]), .text(state.names[other]),
        .int(state.views.messages(user, other).count),
        .int(state.views.unread(by: user, from: other)),
        .time(last.time, before: state.head.time),
      ])
    }
    return state.answer(out)
  }
}

private func messageRows(
  _ name: String, _ otherName: String, _ asked: Projecting
) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<Conversations, Profiles>()) { state throws(Failure) in
    // Messages stay when an account is gone.
    guard let user = state.find(user: name) else { throw asked.missing(user: name) }
    guard let other = state.find(user: otherName) else { throw asked.missing(user: otherName) }
    var out = Rows([
      .init(name: "seq", title: "EVENT", alignment: .right),
      .init(name: "message", title: "MESSAGE", isKey: true, path: "message/{message}.text"),
      .init(name: "sender", title: "BY", path: "message/{message}.sender"),
      .init(name: "text", title: "TEXT", path: "message/{message}.text"),
      .init(name: "time", title: "WHEN", path: "message/{message}.time"),
    ])
    for id in state.views.messages(user, other).reversed().prefix(asked.limit ?? .max) {
      guard let message = state.views.message(id) else { continue }
      out.add([
        .int(Int(message.seq)), .text(state.names[id]),
        message.sender.map { .text(state.names[$0]) } ?? .null, .text(message.text),
        .time(message.time, before: state.head.time),
      ])
    }
    return state.answer(out)
  }
}
