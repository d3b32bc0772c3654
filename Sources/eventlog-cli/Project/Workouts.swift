/// The projections whose values are printed with a workout.
private typealias Activity = Pair<Pair<Workouts, Chups>, Pair<Pair<Reactions, Comments>, Profiles>>

extension ProjectionCommand {
  static let workouts = ProjectionCommand(
    name: "workouts", summary: "shared workouts, the latest date first", options: ["--user"],
    run: { asked in
      try await asked.ask(Activity()) { state in
        let owners =
          try asked.user.map { [try asked.user($0, state)] } ?? state.views.all.workouts.owners
        return state.workoutRows(of: owners, limit: asked.limit)
      }
    })

  static let feed = ProjectionCommand(
    name: "feed", summary: "one user's and their friends' workouts, the latest date first",
    options: ["--user"],
    run: { asked in
      let name = try asked.requiredUser("feed")
      return try await asked.ask(Pair<Activity, Relationships>()) { state in
        let circle = state.circle(of: try asked.user(name, state))
        return state.workoutRows(of: circle, limit: asked.limit)
      }
    })

  static let chups = ProjectionCommand(
    name: "chups",
    summary: "workouts by number of chups; of one workout, who chupped it, newest first",
    options: ["--workout"], run: { try await $0.askActivity(chupRows) })

  static let reactions = ProjectionCommand(
    name: "reactions",
    summary: "workouts by number of users who reacted; of one workout, who and how, newest first",
    options: ["--workout"], run: { try await $0.askActivity(reactionRows) })

  static let comments = ProjectionCommand(
    name: "comments",
    summary: "workouts by number of comments; of one workout, the comments, oldest first",
    options: ["--workout"], run: { try await $0.askActivity(commentRows) })

  static let leaderboard = ProjectionCommand(
    name: "leaderboard", summary: "users by metres in a week or a month, in UTC",
    options: ["--period", "--containing"],
    run: { asked in
      let period = asked.invocation.value("--period") ?? "week"
      guard let span = Leaderboard.Span(rawValue: period) else {
        throw Failure.usage("--period takes week or month, not \(quoted(period))")
      }
      return try await asked.ask(Pair<Leaderboard, Profiles>(), ofAll: true) { state in
        try leaderboardRows(span, asked, state)
      }
    })
}

extension ProjectionQuestion {
  /// Answers with rows about the workout in `--workout`, or about all workouts.
  fileprivate func askActivity(
    _ rows: @escaping @Sendable (WorkoutID?, ProjectionQuestion, ProjectedState) -> Rows
  ) async throws -> ProjectionAnswer {
    try await ask(Activity()) { state in
      guard let name = invocation.value("--workout") else { return rows(nil, self, state) }
      guard let id = state.views.find(workout: name, in: state.names),
        state.views.workout(id) != nil
      else { throw missing("workout", name) }
      return rows(id, self, state)
    }
  }

  /// Returns rows for the shared workouts, sorted by a count (highest first), then by id.
  fileprivate func rankedRows(
    _ state: ProjectedState, _ column: Rows.Column, by count: (Views, WorkoutID) -> Int
  ) -> Rows {
    let views = state.views.all
    let ranked = state.names.all(WorkoutID.self)
      .filter { views.workouts[$0] != nil && count(views, $0) > 0 }
      .ranked(state.names) { count(views, $0) }
    var out = Rows(Rows.Column.ofWorkout + [column, .bar])
    for (id, count) in ranked.prefix(most) {
      guard let workout = views.workouts[id] else { continue }
      out.add(state.cells(workout) + [.int(count), .bar(count, of: ranked[0].count)])
    }
    return out
  }
}

private func reactionRows(
  _ id: WorkoutID?, _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  guard let id else {
    let column = Rows.Column.number("users", path: "reactions/{workout}.count")
    return asked.rankedRows(state, column) { $0.reactions.users(of: $1).count }
  }
  let path = "reactions/\(StatePath.word(state.names[id]))"
  var out = Rows(Rows.Column.ofUser + [.text("kinds", path: path)])
  for user in state.views.reactions(to: id).prefix(asked.most) {
    let kinds = state.views.reactions(to: id, by: user).all.map { $0.rawValue }
    out.add(state.cells(user) + [.text(kinds.joined(separator: " "))])
  }
  return out
}

private func chupRows(
  _ id: WorkoutID?, _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  guard let id else {
    return asked.rankedRows(state, .count("chups")) { $0.chups.users(of: $1).count }
  }
  let path = "chups/\(StatePath.word(state.names[id])).big"
  var out = Rows(Rows.Column.ofUser + [.truth("big", path: path)])
  for user in state.views.chups(of: id).prefix(asked.most) {
    out.add(state.cells(user) + [.bool(state.views.isBigChup(id, user))])
  }
  return out
}

private func commentRows(
  _ id: WorkoutID?, _ asked: ProjectionQuestion, _ state: ProjectedState
) -> Rows {
  guard let id else {
    return asked.rankedRows(state, .count("comments")) { $0.comments.of($1).count }
  }
  var out = Rows([
    .text("comment", isKey: true, path: "comment/{comment}.text"),
    .text("user", "BY", path: "comment/{comment}.user"), .handle,
    .text("text", path: "comment/{comment}.text"),
    .text("time", "WHEN", path: "comment/{comment}.time"),
    .text("replyTo", "REPLY TO", path: "comment/{comment}.replyTo"),
    .number("hearts", path: "comment/{comment}.hearts.count"),
  ])
  for id in state.views.comments(on: id).prefix(asked.most) {
    guard let comment = state.views.comment(id) else { continue }
    out.add([
      .text(state.names[id]), .text(state.names[comment.user]), state.handle(of: comment.user),
      .text(comment.text), state.time(comment.time),
      .optional(comment.replyTo.map { state.names[$0] }), .int(state.views.hearts(of: id).count),
    ])
  }
  return out
}

private func leaderboardRows(
  _ span: Leaderboard.Span, _ asked: ProjectionQuestion, _ state: ProjectedState
) throws(Failure) -> Rows {
  var moment = state.head.time
  if let text = asked.invocation.value("--containing") {
    guard let date = CalendarDate(text)?.start ?? DateTime(text)?.instant else {
      throw Failure.usage("--containing takes a date such as 2026-01-31, not \(quoted(text))")
    }
    moment = date
  }
  let all = state.views.all
  let places = Leaderboard.ranking(
    all.leaderboard.meters(in: span, containing: moment), all.profiles, state.names)
  let path = "leaderboard/\(Leaderboard.period(span, containing: moment))/{user}"
  var out = Rows([.number("rank")] + Rows.Column.ofUser + [.number("meters", path: path), .bar])
  for place in places.prefix(asked.most) {
    out.add(
      [.int(place.rank)] + state.cells(place.user) + [
        .int(Int(place.meters)), .bar(Int(place.meters), of: Int(places[0].meters)),
      ])
  }
  out.title = "\(span.rawValue) of \(moment.date)"
  return out
}
