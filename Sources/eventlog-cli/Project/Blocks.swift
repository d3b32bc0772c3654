import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let blocks = ProjectionCommand(
    name: "blocks", summary: "who blocks whom, the newest block first", options: ["--user"],
    run: { asked in
      if let user = asked.user {
        return try await blockRows(of: user, asked)
      } else {
        return try await allBlockRows(asked)
      }
    })
}

private let blockColumns: [Rows.Column] = [
  .init(name: "user", title: "USER", isKey: true, path: "blocks/{user}"),
  .init(name: "blocked", title: "BLOCKED", isKey: true, path: "blocks/{user}"),
  .init(name: "since", title: "SINCE", path: "blocks/{user}"),
]

private func allBlockRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Blocks())
  let (blocks, names) = (replay.projection, replay.names)
  var found: [(since: Timestamp, user: String, blocked: String)] = []
  for index in 0..<UInt32(names.userCount) {
    let user = UserID(index: index)
    for other in blocks.blocked(by: user) {
      guard let since = blocks.since(user, other) else { continue }
      found.append((since, names[user], names[other]))
    }
  }
  found.sort { ($1.since, $0.user, $0.blocked) < ($0.since, $1.user, $1.blocked) }
  var out = Rows(blockColumns)
  for block in found.prefix(asked.limit ?? .max) {
    out.add([
      .text(block.user), .text(block.blocked), .time(block.since, before: replay.head.time),
    ])
  }
  return asked.answer(out, replay)
}

private func blockRows(of name: String, _ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<Blocks, Profiles>()) { state throws(Failure) in
    let user = try asked.user(name, state)
    var out = Rows(blockColumns)
    for other in state.views.blocked(by: user).prefix(asked.limit ?? .max) {
      guard let since = state.views.blockedSince(user, other) else { continue }
      out.add([
        .text(name), .text(state.names[other]), .time(since, before: state.head.time),
      ])
    }
    return state.answer(out)
  }
}
