import Events
import Projections
import TimeMachine

extension ProjectionCommand {
  static let workouts = ProjectionCommand(
    name: "workouts", summary: "shared workouts, the latest date first", options: ["--user"],
    run: { asked in
      try await asked.ask(Activity()) { state throws(Failure) in
        let user = try asked.user.map { (name) throws(Failure) in try asked.user(name, state) }
        let owners = user.map { [$0] } ?? state.views.all.workouts.owners
        return state.answer(
          state.workoutRows(of: owners, limit: asked.limit), limit: asked.limit)
      }
    })

  static let feed = ProjectionCommand(
    name: "feed", summary: "one user's and their friends' workouts, the latest date first",
    options: ["--user"],
    run: { asked in
      let name = try asked.requiredUser("feed")
      return try await asked.ask(Pair<Activity, Relationships>()) { state throws(Failure) in
        let user = try asked.user(name, state)
        let rows = state.workoutRows(of: state.circle(of: user), limit: asked.limit)
        return state.answer(rows, limit: asked.limit)
      }
    })

  static let chups = ProjectionCommand(
    name: "chups", summary: "the most chupped workouts; of one, who chupped it, newest first",
    options: ["--workout"], run: { try await chupRows($0) })

  static let reactions = ProjectionCommand(
    name: "reactions",
    summary: "the workouts most reacted to; of one, who reacted and how, newest first",
    options: ["--workout"], run: { try await reactionRows($0) })

  static let comments = ProjectionCommand(
    name: "comments", summary: "the most commented workouts; of one, the comments, oldest first",
    options: ["--workout"], run: { try await commentRows($0) })

  static let leaderboard = ProjectionCommand(
    name: "leaderboard", summary: "who moved furthest in a week or a month, in UTC",
    options: ["--period", "--containing"], run: { try await leaderboardRows($0) })
}

/// The projections shown with a workout.
struct Activity: Projection {
  static let name = "activity"
  static let version = 2
  static let handles = Workouts.handles.union(Chups.handles).union(Reactions.handles)
    .union(Comments.handles).union(Profiles.handles)

  private(set) var workouts = Workouts()
  private(set) var chups = Chups()
  private(set) var reactions = Reactions()
  private(set) var comments = Comments()
  private(set) var profiles = Profiles()

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    workouts.apply(event, at: moment)
    chups.apply(event, at: moment)
    reactions.apply(event, at: moment)
    comments.apply(event, at: moment)
    profiles.apply(event, at: moment)
  }

  mutating func codeParts(with coder: inout StateCoder) {
    workouts.codeParts(with: &coder)
    chups.codeParts(with: &coder)
    reactions.codeParts(with: &coder)
    comments.codeParts(with: &coder)
    profiles.codeParts(with: &coder)
  }

  func brokenInvariant(_ names: Names) -> String? {
    workouts.brokenInvariant(names) ?? chups.brokenInvariant(names)
      ?? reactions.brokenInvariant(names) ?? comments.brokenInvariant(names)
      ?? profiles.brokenInvariant(names)
  }

}

extension Activity: PartOfViews {
  func give(to views: inout Views) {
    views.take(workouts)
    views.take(chups)
    views.take(reactions)
    views.take(comments)
    views.take(profiles)
  }
}

/// The current workouts by a count, highest first, ties by id.
private func ranked(
  _ state: ProjectedState, by count: (Views, WorkoutID) -> Int
) -> [(workout: WorkoutShared, count: Int)] {
  let views = state.views.all
  return (0..<UInt32(state.names.workoutCount)).map { WorkoutID(index: $0) }
    .filter { views.workouts[$0] != nil && count(views, $0) > 0 }
    .ranked(state.names) { count(views, $0) }
    .compactMap { id, count in views.workouts[id].map { ($0, count) } }
}

extension Projecting {
  fileprivate func find(_ name: String, _ state: ProjectedState) throws(Failure) -> WorkoutID {
    guard let id = state.views.find(workout: name, in: state.names),
      state.views.workout(id) != nil
    else { throw missing(workout: name) }
    return id
  }

  fileprivate func rankedRows(
    _ state: ProjectedState, _ column: Rows.Column, by count: (Views, WorkoutID) -> Int
  ) -> ProjectionAnswer {
    let ranked = ranked(state, by: count)
    let most = ranked.first?.count ?? 0
    var out = Rows([
      .workout, .owner, .ownerHandle, column,
      .init(name: "bar", title: "", isOrnament: true),
    ])
    for (workout, count) in ranked.prefix(limit ?? .max) {
      out.add(
        state.workoutCells(workout) + [.int(count), .bar(count, of: most)])
    }
    return state.answer(out, limit: limit)
  }
}

private func reactionRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Activity()) { state throws(Failure) in
    guard let name = asked.workout else {
      let column = Rows.Column(
        name: "users", title: "USERS", alignment: .right, path: "reactions/{workout}.count")
      return asked.rankedRows(state, column) { $0.reactions.users(of: $1).count }
    }
    let id = try asked.find(name, state)
    var out = Rows(
      userColumns + [
        .init(name: "kinds", title: "KINDS", path: "reactions/\(StatePath.word(name))")
      ])
    for user in state.views.reactions(to: id).prefix(asked.limit ?? .max) {
      let kinds = state.views.reactions(to: id, by: user).all.map { $0.rawValue }
      out.add(state.userCells(user) + [.text(kinds.joined(separator: " "))])
    }
    return state.answer(out)
  }
}

private func chupRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Activity()) { state throws(Failure) in
    guard let name = asked.workout else {
      return asked.rankedRows(state, .count("chups")) { $0.chups.users(of: $1).count }
    }
    let id = try asked.find(name, state)
    var out = Rows(
      userColumns + [
        .init(
          name: "big", title: "BIG", isTruth: true, path: "chups/\(StatePath.word(name)).big")
      ])
    for user in state.views.chups(of: id).prefix(asked.limit ?? .max) {
      out.add(state.userCells(user) + [.bool(state.views.isBigChup(id, user))])
    }
    return state.answer(out)
  }
}

private func commentRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  try await asked.ask(Activity()) { state throws(Failure) in
    guard let name = asked.workout else {
      return asked.rankedRows(state, .count("comments")) { $0.comments.of($1).count }
    }
    var out = Rows([
      .init(name: "comment", title: "COMMENT", isKey: true, path: "comment/{comment}.text"),
      .init(name: "user", title: "BY", path: "comment/{comment}.user"), .handle,
      .init(name: "text", title: "TEXT", path: "comment/{comment}.text"),
      .init(name: "time", title: "WHEN", path: "comment/{comment}.time"),
      .init(name: "replyTo", title: "REPLY TO", path: "comment/{comment}.replyTo"),
      .init(
        name: "hearts", title: "HEARTS", alignment: .right, path: "comment/{comment}.hearts.count"),
    ])
    for id in state.views.comments(on: try asked.find(name, state)).prefix(asked.limit ?? .max) {
      guard let comment = state.views.comment(id) else { continue }
      out.add([
        .text(state.names[id]), .text(state.names[comment.user]), state.handle(of: comment.user),
        .text(comment.text), .time(comment.time, before: state.head.time),
        comment.replyTo.map { .text(state.names[$0]) } ?? .null,
        .int(state.views.hearts(of: id).count),
      ])
    }
    return state.answer(out)
  }
}

private func leaderboardRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let period = asked.invocation.value("--period") ?? "week"
  guard let span = Leaderboard.Span(rawValue: period) else {
    throw Failure.usage("--period takes week or month, not \(quoted(period))")
  }
  let replay = try await asked.replay(Pair<Leaderboard, Profiles>())
  let (leaderboard, profiles) = (replay.projection.first, replay.projection.second)
  var moment = replay.head.time
  if let text = asked.invocation.value("--containing") {
    guard let date = CalendarDate(text)?.start ?? DateTime(text)?.instant else {
      throw Failure.usage("--containing takes a date such as 2026-01-31, not \(quoted(text))")
    }
    moment = date
  }
  let places = Leaderboard.ranking(
    leaderboard.meters(in: span, containing: moment), profiles, replay.names)
  let most = Int(places.first?.meters ?? 0)
  var out = Rows(
    [.init(name: "rank", title: "RANK", alignment: .right)] + userColumns + [
      .init(
        name: "meters", title: "METERS", alignment: .right,
        path: "leaderboard/\(Leaderboard.period(span, containing: moment))/{user}"),
      .init(name: "bar", title: "", isOrnament: true),
    ])
  for place in places {
    out.add(
      [.int(place.rank)] + userCells(place.user, profiles, replay.names) + [
        .int(Int(place.meters)), .bar(Int(place.meters), of: most),
      ])
  }
  return asked.answer(
    out, replay, title: asked.format == .table ? "\(period) of \(moment.date)" : nil)
}
