extension ProjectionCommand {
  static let blocks = ProjectionCommand(
    name: "blocks", summary: "who blocks whom, newest first", options: ["--user"],
    run: { asked in
      guard let name = asked.user else {
        return try await asked.ask(Blocks(), ofAll: true) { allBlockRows($0, asked.most) }
      }
      return try await asked.ask(Pair<Blocks, Profiles>()) { state in
        let user = try asked.user(name, state)
        var out = Rows(blockColumns)
        for other in state.views.blocked(by: user).prefix(asked.most) {
          guard let since = state.views.blockedSince(user, other) else { continue }
          out.add([.text(name), .text(state.names[other]), state.time(since)])
        }
        return out
      }
    })
}

private let blockColumns: [Rows.Column] = [
  .text("user", isKey: true, path: "blocks/{user}"),
  .text("blocked", isKey: true, path: "blocks/{user}"), .text("since", path: "blocks/{user}"),
]

private func allBlockRows(_ state: ProjectedState, _ most: Int) -> Rows {
  let (blocks, names) = (state.views.all.blocks, state.names)
  var found: [(since: Timestamp, user: String, blocked: String)] = []
  for user in names.all(UserID.self) {
    for other in blocks.blocked(by: user) {
      guard let since = blocks.since(user, other) else { continue }
      found.append((since, names[user], names[other]))
    }
  }
  found.sort { ($1.since, $0.user, $0.blocked) < ($0.since, $1.user, $1.blocked) }
  var out = Rows(blockColumns)
  for block in found.prefix(most) {
    out.add([.text(block.user), .text(block.blocked), state.time(block.since)])
  }
  return out
}
