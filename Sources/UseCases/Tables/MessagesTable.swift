import Events
import Projections

extension Table {
  /// The messages that the viewer sent or received. The id of a deleted account is null.
  static let messages = Table(
    "messages",
    [
      Member("id", .text) { (item: MessageItem, _) in .text(item.row.message) },
      Member("sender_id", .user, references: "profiles", isOptional: true) { item, _ in
        .optional(item.row.sender)
      },
      Member("receiver_id", .user, references: "profiles", isOptional: true) { item, view in
        view.model.views.isOpen(item.receiver) ? view.name(item.receiver) : .null
      },
      Member("text", .text) { item, _ in .text(item.row.text) },
      Member("position", .integer) { item, _ in .int(item.row.position) },
      Member("created_at", .time) { item, _ in .time(item.row.time) },
    ],
    key: ["id"],
    indexes: [
      NamedIndex(columns: ["id"]) { values, view, body in
        view.find(values[0]).map { (id: MessageID) in _ = body(RowKey(id)) }
      },
      .ofCorrespondent("sender_id"), .ofCorrespondent("receiver_id"),
    ],
    writes: TableWrites(
      owner: "sender_id", isOwnersOnly: true, conflict: ["id"], writable: ["receiver_id", "text"],
      id: "id",
      insert: { change in
        let fields = change.fields(
          ["receiver_id": "to", "text": "text", "id": "message"], nulls: false)
        return [TableCommand("SendMessage", fields)]
      },
      delete: { [TableCommand("RemoveMessage", "message", $0.row["id"])] },
      hint: "A message can only be inserted or deleted; MarkConversationRead marks as read."),
    all: visitOwnMessages,
    item: { key, view in
      guard let me = view.me, let sent = view.model.views.message(key.message) else { return nil }
      let other = sent.sender == me ? sent.receiver : sent.sender
      guard sent.sender == me || sent.receiver == me,
        other.map({ !view.model.views.isBlocked(me, $0) }) ?? true
      else { return nil }
      return MessageRow(key.message, in: view.model).map {
        MessageItem(row: $0, receiver: sent.receiver)
      }
    })
}

private struct MessageItem: Sendable {
  let row: MessageRow
  let receiver: UserID
}

extension Table.NamedIndex {
  /// The index of the messages between the viewer and another user.
  fileprivate static func ofCorrespondent(_ column: String) -> Self {
    Self(
      columns: [column],
      estimate: { values, view in view.user(values[0]) == view.me ? 1_000 : 100 },
      visit: { values, view, body in
        guard let me = view.me, let user = view.user(values[0]) else { return }
        if user == me { return visitOwnMessages(view, body) }
        view.model.views.messages(me, user).reversed().visit { body(RowKey($0)) }
      })
  }
}

@Sendable private func visitOwnMessages(_ view: TableView, _ body: (RowKey) -> Bool) {
  guard let me = view.me else { return }
  view.model.views.partners(of: me).visit { partner in
    view.model.views.messages(me, partner).reversed().visit { body(RowKey($0)) }
  }
}
