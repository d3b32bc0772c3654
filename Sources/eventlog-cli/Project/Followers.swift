import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let followers = ProjectionCommand(
    name: "followers", summary: "who is followed how much, most followed first",
    options: ["--user"],
    run: { asked in
      if let user = asked.user {
        return try await followRows(of: user, asked)
      } else {
        return try await followerRows(asked)
      }
    })

  static let following = ProjectionCommand(
    name: "following", summary: "who follows how many, most first", options: ["--user"],
    run: { asked in
      if let user = asked.user {
        return try await followedRows(of: user, asked)
      } else {
        return try await followingRows(asked)
      }
    })
}

private func followerRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(FollowerRanking())
  let rows = replay.projection.followerRows(limit: asked.limit, replay.names)
  return asked.answer(rows, replay)
}

/// Both lists of one user, newest first.
private func followRows(
  of name: String, _ asked: Projecting
) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<FollowLists, Profiles>()) { state throws(Failure) in
    guard let user = state.find(user: name) else { throw asked.missing(user: name) }
    let lists = [
      ("follower", state.views.followers(of: user)), ("following", state.views.following(of: user)),
    ]
    guard state.views.isOpen(user) || lists.contains(where: { !$0.1.isEmpty }) else {
      throw asked.missing(user: name)
    }
    var out = Rows([
      .init(name: "relation", title: "RELATION", isKey: true), .user, .handle,
    ])
    for (relation, users) in lists {
      for other in users.prefix(asked.limit ?? .max) {
        out.add([.text(relation), .text(state.names[other]), state.handle(of: other)])
      }
    }
    let handle = (state.views.card(of: user)?.handle).map { " (@\($0))" } ?? ""
    return state.answer(
      out,
      title: "\(name)\(handle)  \(grouped(lists[0].1.count)) followers, "
        + "\(grouped(lists[1].1.count)) following")
  }
}

private func followingRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(FollowerRanking())
  let rows = replay.projection.rowsByFollowing(limit: asked.limit, names: replay.names)
  let most = rows.first?.followingCount ?? 0
  var out = Rows([.user, .handle, .followingCount, .bar])
  for row in rows {
    out.add([
      .text(replay.names[row.user]), .optional(row.handle), .int(row.followingCount),
      .bar(row.followingCount, of: most),
    ])
  }
  return asked.answer(out, replay)
}

private func followedRows(
  of name: String, _ asked: Projecting
) async throws -> ProjectionAnswer {
  try await asked.ask(Pair<FollowLists, Profiles>()) { state throws(Failure) in
    guard let user = state.find(user: name),
      state.views.isOpen(user) || !state.views.following(of: user).isEmpty
    else { throw asked.missing(user: name) }
    var out = Rows(userColumns)
    for other in state.views.following(of: user).prefix(asked.limit ?? .max) {
      out.add(state.userCells(other))
    }
    return state.answer(out)
  }
}
