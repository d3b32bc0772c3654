import Events
import Projections

extension Table {
  /// The viewer's notifications. The id is the position of the notification's event in the log.
  static let notifications = Table(
    "notifications",
    [
      Member("id", .integer) { (item: NotificationItem, _) in .int(Int64(clamping: item.seq)) },
      Member("user_id", .user, references: "profiles") { item, view in view.name(item.receiver) },
      Member("kind", .text) { item, _ in .text(item.row.kind.word) },
      Member("actor_id", .user, references: "profiles", isOptional: true) { item, _ in
        .optional(item.row.user)
      },
      Member("workout_id", .text, references: "workouts", isOptional: true) { item, _ in
        .optional(item.row.workout)
      },
      Member("comment_id", .text, references: "comments", isOptional: true) { item, _ in
        .optional(item.row.comment)
      },
      Member("group_id", .text, references: "groups", isOptional: true) { item, _ in
        .optional(item.row.group)
      },
      Member("is_big", .bool) { item, _ in .optional(item.row.big) },
      Member("reaction", .text) { item, _ in .optional(item.row.reaction?.word) },
      Member("text", .text) { item, _ in .optional(item.row.text) },
      Member("is_unread", .bool) { item, _ in .bool(item.row.unread) },
      Member("created_at", .time) { item, _ in .time(item.row.time) },
    ],
    key: ["id"],
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
}

@Sendable private func visitOwn(_ view: TableView, _ body: (RowKey) -> Bool) {
  guard let me = view.me else { return }
  view.model.views.notifications(of: me, limit: .max).visit { body(RowKey(seq: $0.seq)) }
}
