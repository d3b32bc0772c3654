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
      writeWorkouts(of: owners, asked, replay)
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
      writeWorkouts(of: [user] + Array(relationships.friends(of: user)), asked, replay, activity)
    })

  static let chups = ProjectionCommand(
    name: "chups", summary: "the most chupped workouts; of one, who chupped it, newest first",
    options: ["--workout"], run: { try await writeChups($0) })

  static let comments = ProjectionCommand(
    name: "comments", summary: "the most commented workouts; of one, the comments, oldest first",
    options: ["--workout"], run: { try await writeComments($0) })

  static let leaderboard = ProjectionCommand(
    name: "leaderboard", summary: "who moved furthest in a week or a month, in UTC",
    options: ["--period", "--containing"], run: { try await writeLeaderboard($0) })
}

/// What is shown with a workout.
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

  mutating func visitParts(_ state: inout StateCoder) {
    workouts.visitParts(&state)
    chups.visitParts(&state)
    comments.visitParts(&state)
    profiles.visitParts(&state)
  }

  func brokenInvariant(_ names: Names) -> String? {
    workouts.brokenInvariant(names) ?? chups.brokenInvariant(names)
      ?? comments.brokenInvariant(names) ?? profiles.brokenInvariant(names)
  }

  /// Who owns a workout, by handle where there is one.
  func owner(_ workout: WorkoutShared, _ names: Names) -> [Cell] {
    [
      .text(names[workout.owner]),
      (profiles[workout.owner]?.handle).map(Cell.text) ?? .null,
    ]
  }
}

private func writeWorkouts(of owners: [UserID], _ asked: Projecting, _ replay: Replay<Activity>) {
  writeWorkouts(of: owners, asked, replay, replay.projection)
}

private func writeWorkouts<P>(
  of owners: [UserID], _ asked: Projecting, _ replay: Replay<P>, _ activity: Activity
) {
  var out = Rows([
    .init(name: "workout", title: "WORKOUT"), .init(name: "owner", title: "OWNER"),
    .init(name: "handle", title: "HANDLE"), .init(name: "date", title: "DATE"),
    .init(name: "workoutType", title: "TYPE"), .init(name: "totalTime", title: "TIME"),
    .init(name: "totalDistance", title: "METERS", alignment: .right),
    .init(name: "chups", title: "CHUPS", alignment: .right),
    .init(name: "comments", title: "COMMENTS", alignment: .right),
  ])
  activity.workouts.visitNewest(of: owners) { workout in
    if let limit = asked.limit, out.rows.count >= limit { return false }
    out.add(
      [.text(replay.names[workout.workout])] + activity.owner(workout, replay.names) + [
        .text(workout.date.text), .text(workout.workoutType), .text(workout.totalTime),
        .int(Int(workout.totalDistance)),
        .int(activity.chups.users(of: workout.workout).count),
        .int(activity.comments.of(workout.workout).count),
      ])
    return true
  }
  asked.write(out, replay)
}

/// The workouts that are there, by a count, the greatest first, then by id.
private func ranked(
  _ replay: Replay<Activity>, by count: (WorkoutID) -> Int
) -> [(workout: WorkoutShared, count: Int)] {
  let activity = replay.projection
  var ranked: [(workout: WorkoutShared, count: Int)] = []
  for index in 0..<UInt32(replay.names.workoutCount) {
    let id = WorkoutID(index: index)
    if let workout = activity.workouts[id], count(id) > 0 { ranked.append((workout, count(id))) }
  }
  return ranked.sorted {
    $0.count != $1.count
      ? $0.count > $1.count
      : replay.names[$0.workout.workout] < replay.names[$1.workout.workout]
  }
}

extension Projecting {
  fileprivate func find(_ name: String, _ replay: Replay<Activity>) throws(Failure) -> WorkoutID {
    guard let id = replay.names.find(workout: name), replay.projection.workouts[id] != nil else {
      throw missing(workout: name)
    }
    return id
  }

  fileprivate func writeRanked(
    _ replay: Replay<Activity>, _ name: String, by count: (WorkoutID) -> Int
  ) {
    let ranked = ranked(replay, by: count)
    let most = ranked.first?.count ?? 0
    var out = Rows([
      .init(name: "workout", title: "WORKOUT"), .init(name: "owner", title: "OWNER"),
      .init(name: "handle", title: "HANDLE"),
      .init(name: name, title: name.uppercased(), alignment: .right),
      .init(name: "bar", title: "", isOrnament: true),
    ])
    for (workout, count) in ranked.prefix(limit ?? .max) {
      out.add(
        [.text(replay.names[workout.workout])] + replay.projection.owner(workout, replay.names)
          + [.int(count), .bar(count, of: most)])
    }
    write(out, replay)
  }
}

private func writeChups(_ asked: Projecting) async throws {
  let replay = try await asked.replay(Activity())
  let activity = replay.projection
  guard let name = asked.workout else {
    return asked.writeRanked(replay, "chups") { activity.chups.users(of: $0).count }
  }
  let id = try asked.find(name, replay)
  var out = Rows(userColumns + [.init(name: "big", title: "BIG")])
  for user in activity.chups.users(of: id) {
    out.add(
      userCells(user, activity.profiles, replay.names) + [.bool(activity.chups.isBig(id, user))])
  }
  asked.write(out, replay)
}

private func writeComments(_ asked: Projecting) async throws {
  let replay = try await asked.replay(Activity())
  let (activity, names) = (replay.projection, replay.names)
  guard let name = asked.workout else {
    return asked.writeRanked(replay, "comments") { activity.comments.of($0).count }
  }
  var out = Rows([
    .init(name: "comment", title: "COMMENT"), .init(name: "user", title: "BY"),
    .init(name: "handle", title: "HANDLE"), .init(name: "text", title: "TEXT"),
    .init(name: "time", title: "WHEN"), .init(name: "replyTo", title: "REPLY TO"),
    .init(name: "hearts", title: "HEARTS", alignment: .right),
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
  asked.write(out, replay)
}

private func writeLeaderboard(_ asked: Projecting) async throws {
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
  let scores = leaderboard.meters(in: span, containing: moment).sorted {
    $0.value != $1.value ? $0.value > $1.value : replay.names.precedes($0.key, $1.key)
  }
  let most = Int(scores.first?.value ?? 0)
  var out = Rows(
    [.init(name: "rank", title: "RANK", alignment: .right)] + userColumns + [
      .init(name: "meters", title: "METERS", alignment: .right),
      .init(name: "bar", title: "", isOrnament: true),
    ])
  var rank = 0
  for (index, score) in scores.enumerated() {
    if index == 0 || scores[index - 1].value != score.value { rank = index + 1 }
    out.add(
      [.int(rank)] + userCells(score.key, profiles, replay.names) + [
        .int(Int(score.value)), .bar(Int(score.value), of: most),
      ])
  }
  asked.write(out, replay, title: asked.format == .table ? "\(period) of \(moment.date)" : nil)
}
