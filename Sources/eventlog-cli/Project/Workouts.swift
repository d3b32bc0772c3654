import Events
import Projections

extension ProjectionCommand {
  static let workouts = ProjectionCommand(
    name: "workouts", summary: "shared workouts, the latest date first", options: ["--user"],
    run: { asked in
      let replay = try await asked.replay(Activity())
      var owners = replay.projection.workouts.owners
      if let name = asked.user {
        guard let user = replay.names.find(user: name), replay.projection.profiles[user] != nil
        else { throw asked.missing(user: name) }
        owners = [user]
      }
      return workoutRows(of: owners, asked, replay, replay.projection)
    })

  static let feed = ProjectionCommand(
    name: "feed", summary: "one user's and their friends' workouts, the latest date first",
    options: ["--user"],
    run: { asked in
      let name = try asked.requiredUser("feed")
      let replay = try await asked.replay(Pair<Activity, Relationships>())
      let (activity, relationships) = (replay.projection.first, replay.projection.second)
      guard let user = replay.names.find(user: name), activity.profiles[user] != nil else {
        throw asked.missing(user: name)
      }
      return workoutRows(
        of: [user] + Array(relationships.friends(of: user)), asked, replay, activity)
    })

  static let chups = ProjectionCommand(
    name: "chups", summary: "the most chupped workouts; of one, who chupped it, newest first",
    options: ["--workout"], run: { try await chupRows($0) })

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
  static let version = 1
  static let handles = Workouts.handles.union(Chups.handles).union(Comments.handles)
    .union(Profiles.handles)

  private(set) var workouts = Workouts()
  private(set) var chups = Chups()
  private(set) var comments = Comments()
  private(set) var profiles = Profiles()

  mutating func apply(_ event: borrowing Event, at moment: Moment) {
    workouts.apply(event, at: moment)
    chups.apply(event, at: moment)
    comments.apply(event, at: moment)
    profiles.apply(event, at: moment)
  }

  mutating func codeParts(with coder: inout StateCoder) {
    workouts.codeParts(with: &coder)
    chups.codeParts(with: &coder)
    comments.codeParts(with: &coder)
    profiles.codeParts(with: &coder)
  }

  func brokenInvariant(_ names: Names) -> String? {
    workouts.brokenInvariant(names) ?? chups.brokenInvariant(names)
      ?? comments.brokenInvariant(names) ?? profiles.brokenInvariant(names)
  }

  /// A workout's owner, by handle if there is one.
  func owner(_ workout: WorkoutShared, _ names: Names) -> [Cell] {
    [
      .text(names[workout.owner]),
      (profiles[workout.owner]?.handle).map(Cell.text) ?? .null,
    ]
  }
}

private func workoutRows<P>(
  of owners: [UserID], _ asked: Projecting, _ replay: Replay<P>, _ activity: Activity
) -> ProjectionAnswer {
  var out = Rows([
    .workout, .owner, .ownerHandle,
    .init(name: "date", title: "DATE", path: "workout/{workout}.date"),
    .init(name: "workoutType", title: "TYPE", path: "workout/{workout}.workoutType"),
    .init(name: "totalTime", title: "TIME", path: "workout/{workout}.totalTime"),
    .init(
      name: "totalDistance", title: "METERS", alignment: .right,
      path: "workout/{workout}.totalDistance"),
    .count("chups"), .count("comments"),
  ])
  activity.workouts.visitNewest(of: owners) { workout in
    if let limit = asked.limit, out.rows.count >= limit { return false }
    out.add(
      [.text(replay.names[workout.workout])] + activity.owner(workout, replay.names) + [
        .text(workout.date.text), workout.workoutType.map(Cell.text) ?? .null,
        workout.totalTime.map(Cell.text) ?? .null,
        workout.totalDistance.map { .int(Int($0)) } ?? .null,
        .int(activity.chups.users(of: workout.workout).count),
        .int(activity.comments.of(workout.workout).count),
      ])
    return true
  }
  return asked.answer(out, replay)
}

extension Rows.Column {
  fileprivate static let workout = Self(
    name: "workout", title: "WORKOUT", isKey: true, path: "workout/{workout}.owner")
  fileprivate static let owner = Self(
    name: "owner", title: "OWNER", path: "workout/{workout}.owner")
  fileprivate static let ownerHandle = Self(
    name: "handle", title: "HANDLE", path: "profile/{owner}.handle")

  /// A workout's `chups` or `comments`.
  fileprivate static func count(_ name: String) -> Self {
    Self(
      name: name, title: name.uppercased(), alignment: .right, path: "workout/{workout}.\(name)")
  }
}

/// The current workouts by a count, highest first, ties by id.
private func ranked(
  _ replay: Replay<Activity>, by count: (WorkoutID) -> Int
) -> [(workout: WorkoutShared, count: Int)] {
  let activity = replay.projection
  return (0..<UInt32(replay.names.workoutCount)).map { WorkoutID(index: $0) }
    .filter { activity.workouts[$0] != nil && count($0) > 0 }.ranked(replay.names, by: count)
    .compactMap { id, count in activity.workouts[id].map { ($0, count) } }
}

extension Projecting {
  fileprivate func find(_ name: String, _ replay: Replay<Activity>) throws(Failure) -> WorkoutID {
    guard let id = replay.names.find(workout: name), replay.projection.workouts[id] != nil else {
      throw missing(workout: name)
    }
    return id
  }

  fileprivate func rankedRows(
    _ replay: Replay<Activity>, _ name: String, by count: (WorkoutID) -> Int
  ) -> ProjectionAnswer {
    let ranked = ranked(replay, by: count)
    let most = ranked.first?.count ?? 0
    var out = Rows([
      .workout, .owner, .ownerHandle, .count(name),
      .init(name: "bar", title: "", isOrnament: true),
    ])
    for (workout, count) in ranked.prefix(limit ?? .max) {
      out.add(
        [.text(replay.names[workout.workout])] + replay.projection.owner(workout, replay.names)
          + [.int(count), .bar(count, of: most)])
    }
    return answer(out, replay)
  }
}

private func chupRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Activity())
  let activity = replay.projection
  guard let name = asked.workout else {
    return asked.rankedRows(replay, "chups") { activity.chups.users(of: $0).count }
  }
  let id = try asked.find(name, replay)
  var out = Rows(
    userColumns + [
      .init(
        name: "big", title: "BIG", isTruth: true, path: "chups/\(StatePath.word(name)).big")
    ])
  for user in activity.chups.users(of: id) {
    out.add(
      userCells(user, activity.profiles, replay.names) + [.bool(activity.chups.isBig(id, user))])
  }
  return asked.answer(out, replay)
}

private func commentRows(_ asked: Projecting) async throws -> ProjectionAnswer {
  let replay = try await asked.replay(Activity())
  let (activity, names) = (replay.projection, replay.names)
  guard let name = asked.workout else {
    return asked.rankedRows(replay, "comments") { activity.comments.of($0).count }
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
  for id in activity.comments.of(try asked.find(name, replay)) {
    guard let comment = activity.comments[id] else { continue }
    out.add([
      .text(names[id]), .text(names[comment.user]),
      (activity.profiles[comment.user]?.handle).map(Cell.text) ?? .null, .text(comment.text),
      .time(comment.time, before: replay.head.time),
      comment.replyTo.map { .text(names[$0]) } ?? .null,
      .int(activity.comments.hearts(of: id).count),
    ])
  }
  return asked.answer(out, replay)
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
