import Aggregates
import Events
import Projections
import UseCases

/// A row of `follows`: a follow, or one that ended.
private struct FollowRecord: Sendable {
  let follower: UserID
  let followee: UserID
  let created: Timestamp
  let deleted: Timestamp?
  var updated: Timestamp { deleted ?? created }
}

extension Table {
  /// The follows, also those that ended. A follow that began again has one row, with new times.
  ///
  /// The viewer sees all own follows, and those between two users whose profiles the viewer sees in
  /// full. Of the follows that ended, the viewer sees only those from or to the viewer.
  static let follows = Table(
    "follows", "The follows, also those that ended; one row for each pair of users.",
    [
      Member("id", .uuid, "A UUID that states both users.") {
        .text(FollowIDs.id($0.follower, $0.followee, $1.model.names))
      },
      Member("follower_id", .user, "The user who follows.", references: "profiles") {
        $1.name($0.follower)
      },
      Member("followee_id", .user, "The followed user.", references: "profiles") {
        $1.name($0.followee)
      },
      Member("created_at", .time, "The time of the follow's beginning.") { row, _ in
        .time(row.created)
      },
      Member("updated_at", .time, "The time of the follow's last beginning or end.") { row, _ in
        .time(row.updated)
      },
      Member(
        "deleted_at", .time, "The time of the follow's end; null while it lasts.", isOptional: true
      ) { row, _ in
        .optional(row.deleted)
      },
    ],
    key: ["id"],
    mirror: MirrorRows(
      key: ["follower_id", "followee_id"], indexes: [["followee_id"], ["id"], ["updated_at"]],
      { key, view in [view.name(key.user), view.name(key.other)] },
      changed: { event, view, touch in
        if case .friendship = event { return }
        view.touchPairs(of: event, touch)
      }),
    indexes: [
      NamedIndex(columns: ["id"]) { values, view, body in
        guard let id = values[0].text,
          let (follower, followee) = view.followIDs.users(of: id, view.model.names)
        else { return }
        _ = body(RowKey(follower, followee))
      },
      NamedIndex(columns: ["follower_id", "followee_id"], isOpen: true) { values, view, body in
        guard let follower = view.user(values[0]), let followee = view.user(values[1]) else {
          return
        }
        _ = body(RowKey(follower, followee))
      },
      NamedIndex(
        columns: ["follower_id"], newestBy: [("updated_at", nil), ("created_at", "deleted_at")],
        estimate: { values, view in
          view.user(values[0]).map { view.model.views.followingCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          guard let user = view.user(values[0]) else { return }
          visitFollows(
            view.model.views.following(of: user).lazy.map { RowKey(user, $0) },
            formerFollowing(of: user, view), view, body)
        }),
      NamedIndex(
        columns: ["followee_id"], newestBy: [("updated_at", nil), ("created_at", "deleted_at")],
        estimate: { values, view in
          view.user(values[0]).map { view.model.views.followerCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          guard let user = view.user(values[0]) else { return }
          visitFollows(
            view.model.views.followers(of: user).lazy.map { RowKey($0, user) },
            formerFollowers(of: user, view), view, body)
        }),
    ],
    writes: followWrites,
    all: { view, body in
      for index in 0..<UInt32(view.model.names.userCount) {
        let user = UserID(index: index)
        guard view.model.views.following(of: user).visit({ body(RowKey(user, $0)) }),
          view.model.views.formerFollowing(of: user).visit({ body(RowKey(user, $0)) })
        else { return }
      }
    },
    item: followRecord)
}

/// Returns the former follows from a user that the viewer may see, the last end first.
private func formerFollowing(of user: UserID, _ view: TableView) -> [RowKey] {
  if user == view.me || view.viewer == .service {
    return view.model.views.formerFollowing(of: user).map { RowKey(user, $0) }
  }
  return view.me.map { [RowKey(user, $0)] } ?? []
}

/// Returns the former follows to a user that the viewer may see, the last end first.
private func formerFollowers(of user: UserID, _ view: TableView) -> [RowKey] {
  if user == view.me || view.viewer == .service {
    return view.model.views.formerFollowers(of: user).map { RowKey($0, user) }
  }
  return view.me.map { [RowKey($0, user)] } ?? []
}

/// Visits current and former follows together, the last change first.
private func visitFollows(
  _ current: some Sequence<RowKey>, _ former: [RowKey], _ view: TableView,
  _ body: (RowKey) -> Bool
) {
  var former = former[...]
  for key in current {
    while let ended = former.first {
      guard let end = view.model.views.endedFollow(ended.user, ended.other)?.ended,
        let begin = view.model.views.followingSince(key.user, key.other), end > begin
      else { break }
      former.removeFirst()
      if !body(ended) { return }
    }
    if !body(key) { return }
  }
  former.visit(body)
}

@Sendable private func followRecord(_ key: RowKey, _ view: TableView) -> FollowRecord? {
  let (follower, followee) = (key.user, key.other)
  let isOwn = view.me == follower
  if !isOwn {
    let a = view.visibility(of: follower)
    let b = view.visibility(of: followee)
    guard view.me == followee ? a != .hidden : a == .full && b == .full else { return nil }
  }
  if let since = view.model.views.followingSince(follower, followee) {
    return FollowRecord(follower: follower, followee: followee, created: since, deleted: nil)
  }
  guard isOwn || view.me == followee || view.viewer == .service,
    let (began, ended) = view.model.views.endedFollow(follower, followee)
  else { return nil }
  return FollowRecord(follower: follower, followee: followee, created: began, deleted: ended)
}

private let followWrites = TableWrites(
  owner: "follower_id", isOwnersOnly: true, conflict: ["follower_id", "followee_id"],
  writable: ["followee_id", "deleted_at"],
  insert: followCommands,
  update: { (change) throws(TableFault) in
    try change.checkMine("follower_id", "To remove a follower, use BlockUser.")
    return try followCommands(change)
  },
  delete: { (change) throws(TableFault) in
    try change.checkMine("follower_id", "To remove a follower, use BlockUser.")
    return [TableCommand("UnfollowUser", "followee", change["followee_id"])]
  })

/// A value of `deleted_at` ends the follow, and null begins it again; the server sets the times.
@Sendable private func followCommands(_ change: TableChange) throws(TableFault) -> [TableCommand] {
  let followee = change["followee_id"]
  if let old = change.row["followee_id"], old != followee {
    throw TableFault(
      "42501", "the users of a follow cannot be changed", hint: "Insert another follow.")
  }
  switch change.values["deleted_at"] {
  case nil where !change.row.isEmpty: return []
  case nil, .null: return [TableCommand("FollowUser", "followee", followee)]
  default: return [TableCommand("UnfollowUser", "followee", followee)]
  }
}
