import Events
import Projections
import UseCases

/// A row of `friendships`: one direction of a friendship or of a friend request.
private struct FriendshipRecord: Sendable {
  let user: UserID
  let friend: UserID
  let status: String
  let since: Timestamp?
}

extension Table {
  /// The friendships and the open friend requests, with a row for each direction.
  ///
  /// The status is `accepted`; or, from the point of view of `user_id`, `sent` or `received`. A
  /// viewer sees only their own requests, and others' friendships if the rules show them.
  static let friendships = Table(
    "friendships", "The friendships and open friend requests; a row for each side.",
    [
      Member(
        "user_id", .user, "The user from whose side the row is written.", references: "profiles"
      ) { (row: FriendshipRecord, view) in
        view.name(row.user)
      },
      Member("friend_id", .user, "The other user.", references: "profiles") { $1.name($0.friend) },
      Member("status", .text, "accepted; or sent or received for an open request.") { row, _ in
        .text(row.status)
      },
      Member("created_at", .time, "The time of the friendship's or request's beginning.") {
        row, _ in .optional(row.since)
      },
    ],
    key: ["user_id", "friend_id"],
    mirror: MirrorRows(
      indexes: [["friend_id"]],
      { key, view in [view.name(key.user), view.name(key.other)] },
      changed: { event, view, touch in
        if case .follow = event { return }
        view.touchPairs(of: event, touch)
      }),
    indexes: [
      NamedIndex(columns: ["user_id", "friend_id"]) { values, view, body in
        guard let user = view.user(values[0]), let friend = view.user(values[1]) else { return }
        _ = body(RowKey(user, friend))
      },
      NamedIndex(
        columns: ["user_id"],
        estimate: { values, view in
          view.user(values[0]).map { view.model.views.friendCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          if let user = view.user(values[0]) {
            related(to: user, view).visit { body(RowKey(user, $0)) }
          }
        }),
      NamedIndex(
        columns: ["friend_id"],
        estimate: { values, view in
          view.user(values[0]).map { view.model.views.friendCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          if let user = view.user(values[0]) {
            related(to: user, view).visit { body(RowKey($0, user)) }
          }
        }),
    ],
    writes: friendshipWrites,
    all: { view, body in
      for index in 0..<UInt32(view.model.names.userCount) {
        let user = UserID(index: index)
        guard related(to: user, view).visit({ body(RowKey(user, $0)) }) else { return }
      }
    },
    item: { key, view in
      let (user, friend) = (key.user, key.other)
      let status: String
      switch view.model.views.relationship(of: user, to: friend) {
      case .friends: status = "accepted"
      case .requestSent: status = "sent"
      case .requestReceived: status = "received"
      case .none, .self: return nil
      }
      if view.isMirror, view.isHidden(user) || view.isHidden(friend) { return nil }
      guard isShown(user, friend, status, view) else { return nil }
      return FriendshipRecord(
        user: user, friend: friend, status: status,
        since: view.model.views.relatedSince(user, friend))
    })
}

/// Returns the friends of a user, and those users with an open request that the viewer may see.
private func related(to user: UserID, _ view: TableView) -> [UserID] {
  let friends = Array(view.model.views.friends(of: user))
  if view.me == user || view.viewer == .service {
    return friends + Array(view.model.views.pending(of: user))
      + Array(view.model.views.sent(of: user))
  }
  guard let me = view.me, view.model.views.relationship(of: me, to: user) != .friends else {
    return friends
  }
  return friends + [me]
}

private func isShown(
  _ user: UserID, _ friend: UserID, _ status: String, _ view: TableView
) -> Bool {
  if view.viewer == .service { return true }
  if view.me == user || view.me == friend {
    // The receiver of a request sees its sender; the sender may not see a receiver who is hidden.
    let other = view.me == user ? friend : user
    return status == (view.me == user ? "received" : "sent") || !view.isHidden(other)
  }
  return status == "accepted" && view.visibility(of: user) == .full
    && view.model.seesFriends(of: user, view.viewer) && !view.isHidden(friend)
}

private let friendshipWrites = TableWrites(
  owner: "user_id", conflict: ["user_id", "friend_id"], writable: ["friend_id", "status"],
  insert: { change in
    if change.values["status"] == .string("accepted") {
      return [TableCommand("AcceptFriendRequest", "sender", change["friend_id"])]
    }
    return [TableCommand("SendFriendRequest", "receiver", change["friend_id"])]
  },
  update: { (change) throws(TableFault) in
    switch (change.values["status"], try received(change)) {
    case (nil, _): return []
    case (.string("accepted"), let sender?):
      return [TableCommand("AcceptFriendRequest", "sender", sender)]
    case (.string("rejected"), let sender?):
      return [TableCommand("RejectFriendRequest", "sender", sender)]
    case (let status?, _) where status == change.row["status"]: return []
    default:
      throw TableFault(
        "23514", "this status does not follow from the present one",
        hint: "A received request becomes accepted or rejected; delete the row to end anything.")
    }
  },
  delete: { (change) throws(TableFault) in
    let other = try other(change)
    if change.row["status"] == .string("accepted") {
      return [TableCommand("RemoveFriend", "friend", other)]
    }
    if let sender = try received(change) {
      return [TableCommand("RejectFriendRequest", "sender", sender)]
    }
    return [TableCommand("CancelFriendRequest", "receiver", other)]
  })

/// Returns the other user of the caller's friendship or request.
private func other(_ change: TableChange) throws(TableFault) -> JSONValue? {
  if change.isMine("user_id") { return change.row["friend_id"] }
  try change.checkMine("friend_id", "Only its two users may change a friendship.")
  return change.row["user_id"]
}

/// Returns the sender of a request that the caller received; nil for other rows.
private func received(_ change: TableChange) throws(TableFault) -> JSONValue? {
  let other = try other(change)
  let received = change.isMine("user_id") ? "received" : "sent"
  return change.row["status"] == .string(received) ? other : nil
}
