import Events

/// One piece of a projection's state: its path and its value, in words.
///
/// ```swift
/// followers.facts(names)  // [Fact(path: "followers/alice.count", value: "10"), …]
/// ```
public struct Fact: Equatable, Sendable {
  public var path: String
  public var value: String

  public init(_ path: String, _ value: String) {
    self.path = path
    self.value = value
  }
}

/// An id as a path names it: quoted where it has other characters than letters, digits, _ and -.
private func quoted(_ id: String) -> String {
  let isPlain = id.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
  return isPlain ? id : "\"\(id)\""
}

extension Names {
  fileprivate func users() -> [UserID] { (0..<UInt32(userCount)).map(UserID.init) }
  fileprivate func workouts() -> [WorkoutID] { (0..<UInt32(workoutCount)).map(WorkoutID.init) }
  fileprivate func comments() -> [CommentID] { (0..<UInt32(commentCount)).map(CommentID.init) }
  fileprivate func list(_ users: some Sequence<UserID>) -> String {
    users.map { quoted(self[$0]) }.joined(separator: ", ")
  }
}

extension FollowerRows {
  public func facts(_ names: Names) -> [Fact] {
    names.users().filter(isKnown).flatMap { user -> [Fact] in
      let row = row(user)
      return [
        Fact("followers/\(quoted(names[user])).count", "\(row.followerCount)"),
        Fact("following/\(quoted(names[user])).count", "\(row.followingCount)"),
      ]
    }
  }
}

extension Following {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user in
      [
        Fact("followers/\(quoted(names[user]))", names.list(followers(of: user))),
        Fact("following/\(quoted(names[user]))", names.list(following(of: user))),
      ].filter { !$0.value.isEmpty }
    }
  }
}

extension Profiles {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user -> [Fact] in
      guard let profile = self[user] else { return [] }
      let values: [(String, String?)] = [
        ("handle", profile.handle), ("displayName", profile.displayName), ("bio", profile.bio),
        ("homeGym", profile.homeGym), ("homeZIP", profile.homeZIP),
        ("climbingSince", profile.climbingSince.map { "\($0)" }),
        ("favoriteStyle", profile.favoriteStyle),
        ("boulderGradeScale", profile.boulderGradeScale),
        ("routeGradeScale", profile.routeGradeScale), ("isPublic", "\(profile.isPublic)"),
        ("riderType", profile.riderType?.rawValue), ("photo", profile.photo?.path),
        ("location", profile.location.map { "\($0.latitude) \($0.longitude) \($0.name ?? "")" }),
        ("sendCount", "\(profile.sendCount)"), ("createdAt", "\(profile.createdAt)"),
        ("updatedAt", "\(profile.updatedAt)"),
        ("holder", holder(of: profile.handle).map { names[$0] }),
      ]
      let path = "profile/\(quoted(names[user]))"
      return values.compactMap { member, value in value.map { Fact("\(path).\(member)", $0) } }
        + profile.sports.map {
          Fact("\(path).sports.\($0.sport.name)", "\($0.level) \($0.isMentor)")
        }
    }
  }
}

extension Relationships {
  public func facts(_ names: Names) -> [Fact] {
    names.users().flatMap { user -> [Fact] in
      let path = "relationship/\(quoted(names[user]))"
      return [friends(of: user), sent(of: user), pending(of: user)].flatMap { others in
        others.enumerated().map { place, other in
          Fact("\(path)/\(quoted(names[other]))", "\(self[user, other]), \(place)")
        }
      }
    }
  }
}

extension Search {
  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { user in
      text(of: user).map {
        Fact("search/\(quoted(names[user]))", String(decoding: $0.bytes, as: UTF8.self))
      }
    }
  }
}

extension Workouts {
  public func facts(_ names: Names) -> [Fact] {
    let shared = names.workouts().flatMap { id -> [Fact] in
      guard let workout = self[id] else { return [] }
      let path = "workout/\(quoted(names[id]))"
      let values: [(String, String?)] = [
        ("owner", names[workout.owner]), ("localID", workout.localID), ("date", workout.date.text),
        ("workoutType", workout.workoutType), ("totalTime", workout.totalTime),
        ("totalDistance", "\(workout.totalDistance)"), ("averageSplit", workout.averageSplit),
        ("intensityZone", workout.intensityZone), ("isErgTest", "\(workout.isErgTest)"),
        ("text", workout.text), ("session", workout.session), ("climb", workout.climb),
        ("intervals", detail(of: id).map { "\($0.intervals.count)" }),
      ]
      return values.compactMap { member, value in value.map { Fact("\(path).\(member)", $0) } }
    }
    let lists = owners.map { owner -> Fact in
      let list = latest(of: [(owner, .max)]).map { quoted(names[$0]) }
      return Fact("workouts/\(quoted(names[owner]))", list.joined(separator: ", "))
    }
    return shared + lists
  }
}

extension Chups {
  public func facts(_ names: Names) -> [Fact] {
    names.workouts().compactMap { id -> Fact? in
      let users = users(of: id)
      if users.isEmpty { return nil }
      let list = users.map { quoted(names[$0]) + (isBig(id, $0) ? " (big)" : "") }
      return Fact("chups/\(quoted(names[id]))", list.joined(separator: ", "))
    }
  }
}

extension Comments {
  public func facts(_ names: Names) -> [Fact] {
    let lists = names.workouts().compactMap { id -> Fact? in
      let list = of(id).map { quoted(names[$0]) }.joined(separator: ", ")
      return list.isEmpty ? nil : Fact("comments/\(quoted(names[id]))", list)
    }
    let posted = names.comments().flatMap { id -> [Fact] in
      guard let comment = self[id] else { return [] }
      let path = "comment/\(quoted(names[id]))"
      var facts = [
        Fact("\(path).text", comment.text), Fact("\(path).user", names[comment.user]),
        Fact("\(path).time", "\(comment.time)"),
        Fact("\(path).hearts", names.list(hearts(of: id))),
      ]
      if let replyTo = comment.replyTo { facts.append(Fact("\(path).replyTo", names[replyTo])) }
      return facts
    }
    return lists + posted
  }
}

extension Leaderboard {
  public func facts(_ names: Names) -> [Fact] {
    totals.flatMap { period, users in
      users.map { user, meters in
        Fact("leaderboard/\(period.span)/\(period.number)/\(quoted(names[user]))", "\(meters)")
      }
    }
  }
}

extension Notifications {
  public func facts(_ names: Names) -> [Fact] {
    names.users().compactMap { user -> Fact? in
      let told = newest(of: user, limit: .max).map { told in
        let kind =
          switch told.kind {
          case .request: "request"
          case .acceptance: "acceptance"
          case .follow: "follow"
          case .chup(let workout, let big): "\(big ? "big chup" : "chup") \(names[workout])"
          case .comment(let comment, _): "comment \(names[comment])"
          }
        return "\(told.seq) \(kind) by \(names[told.user])"
      }
      if told.isEmpty { return nil }
      return Fact("notifications/\(quoted(names[user]))", told.joined(separator: ", "))
    }
  }
}
