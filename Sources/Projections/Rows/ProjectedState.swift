import Events

extension Rows.Column {
  package static let user = text("user", isKey: true, path: "profile/{user}.handle")
  package static let handle = text("handle", path: "profile/{user}.handle")
  /// The columns that describe a user in the rows of any projection.
  package static let ofUser = [
    user, handle, text("displayName", "NAME", path: "profile/{user}.displayName"),
  ]
  package static let followingCount = number(
    "followingCount", "FOLLOWING", path: "following/{user}.count")
  /// The columns that describe a workout and its owner.
  package static let ofWorkout = [
    text("workout", isKey: true, path: "workout/{workout}.owner"),
    text("owner", path: "workout/{workout}.owner"), text("handle", path: "profile/{owner}.handle"),
  ]

  /// Returns the column of a workout's number of `chups` or `comments`.
  package static func count(_ name: String) -> Self {
    number(name, path: "workout/{workout}.\(name)")
  }
}

/// The state that a `project` command reads at one revision, from which it makes the rows.
package struct ProjectedState: Sendable {
  package var views: Reading
  package var names: Names
  package var head: LogHead
  /// The number of events up to `head` whose types are unknown, by type.
  package var skipped: [UnknownType: Int]

  package init(views: Reading, names: Names, head: LogHead, skipped: [UnknownType: Int] = [:]) {
    (self.views, self.names, self.head, self.skipped) = (views, names, head, skipped)
  }

  package func find(user name: String) -> UserID? { views.find(user: name, in: names) }

  package func handle(of user: UserID) -> Cell { .optional(views.card(of: user)?.handle) }

  package func time(_ time: Timestamp) -> Cell { .time(time, before: head.time) }

  /// Returns the cells of a user: id, handle and display name.
  package func cells(_ user: UserID) -> [Cell] {
    let card = views.card(of: user)
    return [.text(names[user]), .optional(card?.handle), .optional(card?.displayName)]
  }

  /// Returns the cells of a workout: its id, its owner, and the owner's handle.
  package func cells(_ workout: WorkoutShared) -> [Cell] {
    [.text(names[workout.workout]), .text(names[workout.owner]), handle(of: workout.owner)]
  }

  /// Returns the rows of `project profiles` for some users.
  package func profileRows(of users: some Sequence<UserID>) -> Rows {
    var out = Rows(
      Rows.Column.ofUser + [
        .truth("isPublic", "PUBLIC", path: "profile/{user}.isPublic"),
        .text("bio", path: "profile/{user}.bio"),
        .text("photoURL", "PHOTO", path: "profile/{user}.photo"),
        .text("riderType", "RIDER", path: "profile/{user}.riderType"),
        .number("sendCount", "SENDS", path: "profile/{user}.sendCount"),
        .text("createdAt", "CREATED", path: "profile/{user}.createdAt"),
        .text("updatedAt", "UPDATED", path: "profile/{user}.updatedAt"),
      ])
    for user in users {
      guard let profile = views.profile(of: user) else { continue }
      out.add(
        cells(user) + [
          .bool(profile.isPublic), .optional(profile.bio), .optional(profile.photo?.url),
          .optional(profile.riderType?.rawValue), .int(profile.sendCount),
          time(profile.createdAt), time(profile.updatedAt),
        ])
    }
    return out
  }

  /// Returns the users whose workouts `project feed` shows: the user and the user's friends.
  package func circle(of user: UserID) -> [UserID] { [user] + Array(views.friends(of: user)) }

  /// Returns the rows of `project workouts` and `project feed` for these owners, latest date first.
  package func workoutRows(of owners: [UserID], limit: Int? = nil) -> Rows {
    var out = Rows(
      Rows.Column.ofWorkout + [
        .text("date", path: "workout/{workout}.date"),
        .text("workoutType", "TYPE", path: "workout/{workout}.workoutType"),
        .text("totalTime", "TIME", path: "workout/{workout}.totalTime"),
        .number("totalDistance", "METERS", path: "workout/{workout}.totalDistance"),
        .count("chups"), .count("comments"),
      ])
    views.visitNewest(of: owners.map { ($0, .max) }) { workout in
      if let limit, out.rows.count >= limit { return false }
      out.add(
        cells(workout) + [
          .text(workout.date.text), .optional(workout.workoutType), .optional(workout.totalTime),
          workout.totalDistance.map { .number($0) } ?? .null,
          .int(views.chups(of: workout.workout).count),
          .int(views.comments(on: workout.workout).count),
        ])
      return true
    }
    return out
  }
}

extension FollowerRanking {
  /// Returns the rows of `project followers`.
  package func followerRows(limit: Int? = nil, _ names: Names) -> Rows {
    let rows = rows(limit: limit, names: names)
    var out = Rows([
      .user, .handle, .number("followerCount", "FOLLOWERS", path: "followers/{user}.count"),
      .followingCount, .bar,
    ])
    for row in rows {
      out.add([
        .text(names[row.user]), .optional(row.handle), .int(row.followerCount),
        .int(row.followingCount), .bar(row.followerCount, of: rows[0].followerCount),
      ])
    }
    return out
  }
}
