import Events
import Projections
import UseCases

extension Table {
  /// The viewer's notifications. The id is the position of the notification's event in the log.
  static let notifications = Table(
    "notifications", "The users' notifications of what others did.",
    [
      Member("id", .integer, "The position of the notification's event.") {
        (item: NotificationItem, _) in .int(Int64(clamping: item.seq))
      },
      Member("user_id", .user, "The receiver.", references: "profiles") { item, view in
        view.name(item.receiver)
      },
      Member("kind", .text, "The kind, such as follow or comment.") { item, _ in
        .text(item.row.kind.word)
      },
      Member("actor_id", .user, "The user who acted.", references: "profiles", isOptional: true) {
        item, _ in
        .optional(item.row.user)
      },
      Member(
        "workout_id", .text, "The workout, if the notification is about one.",
        references: "workouts", isOptional: true
      ) { item, _ in
        .optional(item.row.workout)
      },
      Member(
        "comment_id", .text, "The comment, if the notification is about one.",
        references: "comments", isOptional: true
      ) { item, _ in
        .optional(item.row.comment)
      },
      Member(
        "group_id", .text, "The group, if the notification is about one.", references: "groups",
        isOptional: true
      ) { item, _ in
        .optional(item.row.group)
      },
      Member("is_big", .bool, "Whether the chup is big.", isOptional: true) { item, _ in
        .optional(item.row.big)
      },
      Member("reaction", .text, "The kind of reaction.", isOptional: true) { item, _ in
        .optional(item.row.reaction?.word)
      },
      Member("text", .text, "The comment's text.", isOptional: true) { item, _ in
        .optional(item.row.text)
      },
      Member("is_unread", .bool, "Whether the receiver has not read it.") { item, _ in
        .bool(item.row.unread)
      },
      Member("created_at", .time, "The time of the event.") { item, _ in .time(item.row.time) },
    ],
    key: ["id"],
    mirror: MirrorRows(
      key: ["id", "user_id"], indexes: [["user_id", "id"]],
      { key, view in
        [.int(Int64(clamping: key.seq)), view.name(UserID(index: key.c))]
      },
      changed: { event, view, touch in
        view.model.views.visitNotifications(changedBy: event) { touch(RowKey($0, at: $1)) }
        // In an imported log, a user may act before the account is opened. Rows show and name only
        // users with an account, and workouts of such users.
        if case .profile(.created(let data)) = event, view.hasActed(data.user) {
          view.model.views.forEachNotification { touching(RowKey($0, at: $1), touch) }
        }
      }),
    indexes: [
      NamedIndex(columns: ["id"]) { values, _, body in
        if case .int(let seq) = values[0], seq > 0 { _ = body(RowKey(seq: UInt64(seq))) }
      },
      NamedIndex(
        columns: ["user_id"], newestBy: [("id", nil)], estimate: { _, _ in 100 },
        visit: { values, view, body in
          if view.user(values[0]) == view.me { visitOwn(view, body) }
        }),
    ],
    writes: TableWrites(
      conflict: ["id"], writable: ["is_unread"],
      update: { (change) throws(TableFault) in
        guard change.values["is_unread"] == .bool(false) else {
          throw TableFault(
            "23514", "a notification can only be marked as read",
            hint: #"Send {"is_unread":false}; it also marks all earlier notifications."#)
        }
        // The command reads only the time in the id.
        guard case .string(let text)? = change.row["created_at"], let time = DateTime(text)?.instant
        else { return [] }
        let id = EventID(time: time, random: (.max, .max))
        return [TableCommand("MarkNotificationsRead", "upTo", .string("\(id)"))]
      },
      updateCoversEarlierRows: true,
      hint: "Notifications follow from what others do; they can only be marked as read."),
    all: visitOwn,
    item: { key, view in
      if view.isMirror { return NotificationItem(mirrored: key, view) }
      guard let me = view.me,
        let notification = view.model.views.notification(at: key.seq, of: me),
        view.model.isShown(notification, to: me)
      else { return nil }
      return NotificationItem(
        row: GetNotifications.Notification(notification, for: me, in: view.model), receiver: me,
        seq: key.seq)
    })
}

private struct NotificationItem: Sendable {
  let row: GetNotifications.Notification
  let receiver: UserID
  let seq: UInt64

  init(row: GetNotifications.Notification, receiver: UserID, seq: UInt64) {
    (self.row, self.receiver, self.seq) = (row, receiver, seq)
  }

  /// Creates the item of a mirror's row: a notification of any user, which names only users,
  /// workouts, comments and groups that exist.
  init?(mirrored key: RowKey, _ view: TableView) {
    let user = UserID(index: key.c)
    guard !view.isHidden(user),
      let notification = view.model.views.notification(at: key.seq, of: user)
    else { return nil }
    var row = GetNotifications.Notification(notification, for: user, in: view.model)
    row.user = view.isHidden(notification.user) ? nil : view.model.names[notification.user]
    if let workout = notification.kind.workout, view.workout(workout) == nil { row.workout = nil }
    if let comment = notification.kind.comment {
      let workout = view.model.views.comment(comment)?.workout
      if workout.flatMap({ view.workout($0) }) == nil { (row.comment, row.text) = (nil, nil) }
    }
    if let group = notification.kind.group, view.model.views.group(group) == nil {
      row.group = nil
    }
    self.init(row: row, receiver: user, seq: key.seq)
  }
}

extension RowKey {
  /// The key of a recipient's notification of the event at a position.
  fileprivate init(_ recipient: UserID, at seq: UInt64) {
    self.init(seq: seq)
    c = recipient.index
  }
}

@Sendable private func visitOwn(_ view: TableView, _ body: (RowKey) -> Bool) {
  if view.isMirror {
    return view.model.views.forEachNotification { body(RowKey($0, at: $1)) }
  }
  guard let me = view.me else { return }
  view.model.views.notifications(of: me, limit: .max).visit { body(RowKey(seq: $0.seq)) }
}
