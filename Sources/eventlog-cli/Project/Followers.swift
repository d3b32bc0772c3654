extension ProjectionCommand {
  static let followers = ProjectionCommand(
    name: "followers", summary: "users by number of followers, most first",
    options: ["--user"],
    run: { asked in
      guard let name = asked.user else {
        return try await asked.rank { $0.followerRows(limit: asked.limit, $1) }
      }
      return try await asked.ask(Pair<FollowLists, Profiles>()) { state in
        try followRows(of: name, asked, state)
      }
    })

  static let following = ProjectionCommand(
    name: "following", summary: "users by number of users they follow, most first",
    options: ["--user"],
    run: { asked in
      guard let name = asked.user else {
        return try await asked.rank { followingRows($0, limit: asked.limit, $1) }
      }
      return try await asked.ask(Pair<FollowLists, Profiles>()) { state in
        guard let user = state.find(user: name),
          state.views.isOpen(user) || !state.views.following(of: user).isEmpty
        else { throw asked.missing("user", name) }
        var out = Rows(Rows.Column.ofUser)
        for other in state.views.following(of: user).prefix(asked.most) {
          out.add(state.cells(other))
        }
        return out
      }
    })
}

/// Returns a user's followers, then the users whom that user follows, newest first.
private func followRows(
  of name: String, _ asked: ProjectionQuestion, _ state: ProjectedState
) throws(Failure) -> Rows {
  guard let user = state.find(user: name) else { throw asked.missing("user", name) }
  let (followers, following) = (state.views.followers(of: user), state.views.following(of: user))
  guard state.views.isOpen(user) || !followers.isEmpty || !following.isEmpty else {
    throw asked.missing("user", name)
  }
  var out = Rows([.text("relation", isKey: true), .user, .handle])
  for (relation, users) in [("follower", followers), ("following", following)] {
    for other in users.prefix(asked.most) {
      out.add([.text(relation), .text(state.names[other]), state.handle(of: other)])
    }
  }
  let handle = (state.views.card(of: user)?.handle).map { " (@\($0))" } ?? ""
  out.title =
    "\(name)\(handle)  \(grouped(followers.count)) followers, "
    + "\(grouped(following.count)) following"
  return out
}

private func followingRows(_ ranking: FollowerRanking, limit: Int?, _ names: Names) -> Rows {
  let rows = ranking.rowsByFollowing(limit: limit, names: names)
  var out = Rows([.user, .handle, .followingCount, .bar])
  for row in rows {
    out.add([
      .text(names[row.user]), .optional(row.handle), .int(row.followingCount),
      .bar(row.followingCount, of: rows[0].followingCount),
    ])
  }
  return out
}
