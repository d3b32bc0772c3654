import Events

/// One piece of a projection's state: its path and its value.
///
/// ```swift
/// followers.facts(names)  // [Fact(path: "followers/alice.count", value: .int(10)), …]
/// ```
/// Lists are arrays, counts numbers, names and texts strings. What is not there has no fact.
public struct Fact: Equatable, Sendable {
  public var path: String
  public var value: JSONValue

  public init(_ path: String, _ value: JSONValue) {
    self.path = path
    self.value = value
  }

  /// A list; nil for an empty one.
  init?(_ path: String, list: [String]) {
    if list.isEmpty { return nil }
    self.init(path, .array(list.map { .string($0) }))
  }
}

extension JSONValue {
  /// As people read it: texts without quotes, lists with commas.
  public var words: String {
    switch self {
    case .string(let text): text
    case .array(let values): values.map { $0.words }.joined(separator: ", ")
    default: text
    }
  }
}

extension Names {
  func path(_ kind: String, _ user: UserID) -> String { "\(kind)/\(pathWord(self[user]))" }
  func path(_ kind: String, _ id: WorkoutID) -> String { "\(kind)/\(pathWord(self[id]))" }
  func path(_ kind: String, _ id: CommentID) -> String { "\(kind)/\(pathWord(self[id]))" }

  fileprivate func users() -> [UserID] { (0..<UInt32(userCount)).map(UserID.init) }
  fileprivate func workouts() -> [WorkoutID] { (0..<UInt32(workoutCount)).map(WorkoutID.init) }
  fileprivate func comments() -> [CommentID] { (0..<UInt32(commentCount)).map(CommentID.init) }
  fileprivate func list(_ users: some Sequence<UserID>) -> [String] { users.map { self[$0] } }
}

/// The facts of the members that are there.
private func facts(_ path: String, _ members: [(String, JSONValue?)]) -> [Fact] {
  members.compactMap { member, value in value.map { Fact("\(path).\(member)", $0) } }
}

/// A text that is there.
private func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }

extension FollowerRows {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user -> [Fact] in
      let row = row(user)
      return [("followers", row.followerCount), ("following", row.followingCount)].compactMap {
        $1 > 0 || row.handle != nil ? Fact(names.path($0, user) + ".count", .int($1)) : nil
      }
    }
  }
}

extension Following {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { facts(about: $0, names) }
  }

  func facts(about user: UserID, _ names: Names) -> [Fact] {
    [
      Fact(names.path("followers", user), list: names.list(followers(of: user))),
      Fact(names.path("following", user), list: names.list(following(of: user))),
    ].compactMap { $0 }
  }
}

extension Profiles {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { facts(about: $0, names) }
      + holders.all.map { Fact("handle/\(pathWord($0.key))", .string(names[$0.value])) }
  }

  func facts(about user: UserID, _ names: Names) -> [Fact] {
    guard let profile = self[user] else { return [] }
    let path = names.path("profile", user)
    let members: [(String, JSONValue?)] = [
      ("handle", text(profile.handle)), ("displayName", text(profile.displayName)),
      ("bio", text(profile.bio)), ("homeGym", text(profile.homeGym)),
      ("homeZIP", text(profile.homeZIP)),
      ("climbingSince", text(profile.climbingSince.map { "\($0)" })),
      ("favoriteStyle", text(profile.favoriteStyle)),
      ("boulderGradeScale", text(profile.boulderGradeScale)),
      ("routeGradeScale", text(profile.routeGradeScale)), ("isPublic", .bool(profile.isPublic)),
      ("riderType", text(profile.riderType?.rawValue)), ("photo", text(profile.photo?.path)),
      ("location.latitude", profile.location.map { .double($0.latitude) }),
      ("location.longitude", profile.location.map { .double($0.longitude) }),
      ("location.name", text(profile.location?.name)), ("sendCount", .int(profile.sendCount)),
      ("createdAt", text("\(profile.createdAt)")), ("updatedAt", text("\(profile.updatedAt)")),
    ]
    let sports = profile.sports.flatMap { sport in
      [
        Fact("\(path).sports.\(pathWord(sport.sport.name)).level", .string("\(sport.level)")),
        Fact("\(path).sports.\(pathWord(sport.sport.name)).isMentor", .bool(sport.isMentor)),
      ]
    }
    return Projections.facts(path, members) + sports
  }
}

extension Relationships {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user in
      let others = [friends(of: user), sent(of: user), pending(of: user)].flatMap { $0 }
      return lists(of: user, names) + others.compactMap { fact(user, $0, names) }
    }
  }

  /// What a user is to another; nil for nothing.
  func fact(_ user: UserID, _ other: UserID, _ names: Names) -> Fact? {
    let relationship = self[user, other]
    if relationship == .none || relationship == .`self` { return nil }
    return Fact(
      "\(names.path("relationship", user))/\(pathWord(names[other]))",
      .string(relationship.rawValue))
  }

  func lists(of user: UserID, _ names: Names) -> [Fact] {
    [
      Fact(names.path("friends", user), list: names.list(friends(of: user))),
      Fact(names.path("requests", user), list: names.list(sent(of: user))),
      Fact(names.path("pending", user), list: names.list(pending(of: user))),
    ].compactMap { $0 }
  }
}

extension Search {
  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { fact(about: $0, names) }
  }

  func fact(about user: UserID, _ names: Names) -> Fact? {
    text(of: user).map { Fact(names.path("search", user), .string($0.words)) }
  }
}

extension Workouts {
  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
      + owners.compactMap { list(of: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    guard let workout = self[id] else { return [] }
    return Projections.facts(
      names.path("workout", id),
      [
        ("owner", text(names[workout.owner])), ("localID", text(workout.localID)),
        ("date", text(workout.date.text)), ("workoutType", text(workout.workoutType)),
        ("totalTime", text(workout.totalTime)), ("totalDistance", .int(workout.totalDistance)),
        ("averageSplit", text(workout.averageSplit)),
        ("intensityZone", text(workout.intensityZone)), ("isErgTest", .bool(workout.isErgTest)),
        ("text", text(workout.text)), ("session", text(workout.session)),
        ("climb", text(workout.climb)),
        ("intervals", detail(of: id).map { .int($0.intervals.count) }),
      ])
  }

  func list(of owner: UserID, _ names: Names) -> Fact? {
    Fact(names.path("workouts", owner), list: latest(of: [(owner, .max)]).map { names[$0] })
  }
}

extension Chups {
  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    let users = users(of: id)
    let big = names.list(users.filter { isBig(id, $0) })
    var facts = [
      Fact(names.path("chups", id), list: names.list(users)),
      Fact(names.path("chups", id) + ".big", list: big),
    ].compactMap { $0 }
    if !users.isEmpty || ownership.owner(of: id) != nil {
      facts.append(Fact(names.path("workout", id) + ".chups", .int(users.count)))
    }
    return facts
  }
}

extension Comments {
  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
      + names.comments().flatMap { facts(about: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    let list = of(id)
    let count =
      list.isEmpty && ownership.owner(of: id) == nil
      ? nil : Fact(names.path("workout", id) + ".comments", .int(list.count))
    return [Fact(names.path("comments", id), list: list.map { names[$0] }), count]
      .compactMap { $0 }
  }

  func facts(about id: CommentID, _ names: Names) -> [Fact] {
    guard let comment = self[id] else { return [] }
    let path = names.path("comment", id)
    let hearts = Fact("\(path).hearts", list: names.list(hearts(of: id)))
    return Projections.facts(
      path,
      [
        ("workout", text(names[comment.workout])), ("user", text(names[comment.user])),
        ("text", text(comment.text)), ("time", text("\(comment.time)")),
        ("replyTo", text(comment.replyTo.map { names[$0] })),
      ]) + (hearts.map { [$0] } ?? [])
  }
}

extension Leaderboard {
  public func facts(_ names: Names) -> [Fact] {
    totals.flatMap { period, users in
      users.map { user, meters in
        Fact("leaderboard/\(period)/\(pathWord(names[user]))", .int(meters))
      }
    }
  }
}

private func floored(_ value: Int64, by divisor: Int64) -> Int64 {
  (value - ((value % divisor) + divisor) % divisor) / divisor
}

private func padded(_ value: Int64, to width: Int) -> String {
  String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
}

extension Leaderboard.Period: CustomStringConvertible {
  /// `week/2026-01-26`, by its Monday, or `month/2026-01`.
  var description: String {
    switch span {
    case .week:
      // The first week there is begins before the year 0, which no date can say.
      "week/\(max(Timestamp(milliseconds: (number * 7 - 3) * 86_400_000), .earliest).date)"
    case .month:
      "month/" + padded(floored(number, by: 12), to: 4) + "-"
        + padded(number - 12 * floored(number, by: 12) + 1, to: 2)
    }
  }
}

extension Notifications {
  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { fact(about: $0, names) }
  }

  func fact(about user: UserID, _ names: Names) -> Fact? {
    let told = newest(of: user, limit: .max)
    return Fact(names.path("notifications", user), list: told.map { $0.text(names) })
  }
}

extension Notifications.Notification {
  /// `2026-01-31T12:00:00.000Z big chup w1 by bob`.
  func text(_ names: Names) -> String {
    let kind =
      switch kind {
      case .request: "request"
      case .acceptance: "acceptance"
      case .follow: "follow"
      case .chup(let workout, let big): "\(big ? "big chup" : "chup") \(names[workout])"
      case .comment(let comment, _): "comment \(names[comment])"
      }
    return "\(time) \(kind) by \(names[user])"
  }
}
