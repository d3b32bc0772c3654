import Events
import Projections

extension Rows.Column {
  public static let user = Self(
    name: "user", title: "USER", isKey: true, path: "profile/{user}.handle")
  public static let handle = Self(name: "handle", title: "HANDLE", path: "profile/{user}.handle")
  public static let followingCount = Self(
    name: "followingCount", title: "FOLLOWING", alignment: .right, path: "following/{user}.count")
  /// The first number of a row beside the greatest one.
  public static let bar = Self(name: "bar", title: "", isOrnament: true)
  public static let workout = Self(
    name: "workout", title: "WORKOUT", isKey: true, path: "workout/{workout}.owner")
  public static let owner = Self(
    name: "owner", title: "OWNER", path: "workout/{workout}.owner")
  public static let ownerHandle = Self(
    name: "handle", title: "HANDLE", path: "profile/{owner}.handle")

  /// A workout's `chups` or `comments`.
  public static func count(_ name: String) -> Self {
    Self(
      name: name, title: name.uppercased(), alignment: .right, path: "workout/{workout}.\(name)")
  }
}

/// A user in a list of any projection.
public let userColumns: [Rows.Column] = [
  .user, .handle,
  .init(name: "displayName", title: "NAME", path: "profile/{user}.displayName"),
]

public func userCells(_ user: UserID, _ profiles: Profiles, _ names: Names) -> [Cell] {
  cells(names[user], profiles.card(of: user))
}

private func cells(
  _ user: String, _ card: (handle: String?, displayName: String?)?
) -> [Cell] {
  [.text(user), .optional(card?.handle), .optional(card?.displayName)]
}

/// The state that a question of `project` reads, at one revision.
public struct ProjectedState: Sendable {
  public var views: Reading
  public var names: Names
  public var head: LogHead
  /// The events of unknown types before it.
  public var skipped: [UnknownType: Int]

  public init(
    views: Reading, names: Names, head: LogHead, skipped: [UnknownType: Int] = [:]
  ) {
    (self.views, self.names, self.head, self.skipped) = (views, names, head, skipped)
  }

  public func find(user name: String) -> UserID? { views.find(user: name, in: names) }

  public func handle(of user: UserID) -> Cell { .optional(views.card(of: user)?.handle) }

  public func userCells(_ user: UserID) -> [Cell] { cells(names[user], views.card(of: user)) }

  /// A workout, and its owner, by handle if there is one.
  public func workoutCells(_ workout: WorkoutShared) -> [Cell] {
    [.text(names[workout.workout]), .text(names[workout.owner]), handle(of: workout.owner)]
  }

  /// What `project profiles` answers of some users.
  public func profileRows(of users: some Sequence<UserID>) -> Rows {
    var out = Rows(
      userColumns + [
        .init(
          name: "isPublic", title: "PUBLIC", isTruth: true, path: "profile/{user}.isPublic"),
        .init(name: "bio", title: "BIO", path: "profile/{user}.bio"),
        .init(name: "photoURL", title: "PHOTO", path: "profile/{user}.photo"),
        .init(name: "riderType", title: "RIDER", path: "profile/{user}.riderType"),
        .init(
          name: "sendCount", title: "SENDS", alignment: .right, path: "profile/{user}.sendCount"),
        .init(name: "createdAt", title: "CREATED", path: "profile/{user}.createdAt"),
        .init(name: "updatedAt", title: "UPDATED", path: "profile/{user}.updatedAt"),
      ])
    for user in users {
      guard let profile = views.profile(of: user) else { continue }
      out.add(
        userCells(user) + [
          .bool(profile.isPublic), .optional(profile.bio), .optional(profile.photo?.url),
          .optional(profile.riderType?.rawValue), .int(profile.sendCount),
          .time(profile.createdAt, before: head.time), .time(profile.updatedAt, before: head.time),
        ])
    }
    return out
  }

  /// Whose workouts `project feed` shows of a user.
  public func circle(of user: UserID) -> [UserID] { [user] + Array(views.friends(of: user)) }

  /// What `project workouts` and `feed` answer of some owners, the latest date first.
  public func workoutRows(of owners: [UserID], limit: Int? = nil) -> Rows {
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
    views.visitNewest(of: owners.map { ($0, .max) }) { workout in
      if let limit, out.rows.count >= limit { return false }
      out.add(
        workoutCells(workout) + [
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
  /// What `project followers` answers.
  public func followerRows(limit: Int? = nil, _ names: Names) -> Rows {
    let rows = rows(limit: limit, names: names)
    var out = Rows([
      .user, .handle,
      .init(
        name: "followerCount", title: "FOLLOWERS", alignment: .right,
        path: "followers/{user}.count"),
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
