import Events
import Projections
import UseCases

extension Table {
  /// The messages that the viewer sent or received. The id of a deleted account is null.
  static let messages = Table(
    "messages", "The messages between users that were not removed.",
    [
      Member("id", .text, "The message's id.") { (item: MessageItem, _) in .text(item.row.message)
      },
      Member(
        "sender_id", .user, "The sender; null for a deleted account.", references: "profiles",
        isOptional: true
      ) { item, _ in
        .optional(item.row.sender)
      },
      Member(
        "receiver_id", .user, "The receiver; null for a deleted account.", references: "profiles",
        isOptional: true
      ) { item, view in
        view.model.views.isOpen(item.receiver) ? view.name(item.receiver) : .null
      },
      Member("text", .text, "The text.") { item, _ in .text(item.row.text) },
      Member("position", .integer, "The position of the message's event.") { item, _ in
        .int(item.row.position)
      },
      Member("created_at", .time, "The time of sending.") { item, _ in .time(item.row.time) },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["sender_id"], ["receiver_id"], ["position"]],
      { key, view in [view.name(key.message)] },
      changed: { event, view, touch in
        if case .conversation(let event) = event {
          if let message = event.message { touch(RowKey(message)) }
        } else if let user = event.account {
          visitMessages(of: user, view) { touching($0, touch) }
        }
      }),
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
      if view.isMirror {
        return view.model.views.message(key.message).flatMap { sent in
          MessageRow(key.message, in: view.model).map {
            var row = $0
            if sent.sender.map(view.isHidden) ?? false { row.sender = nil }
            return MessageItem(row: row, receiver: sent.receiver)
          }
        }
      }
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
  if view.isMirror {
    (0..<UInt32(view.model.names.count(of: .message))).visit {
      body(RowKey(MessageID(index: $0)))
    }
  } else if let me = view.me {
    visitMessages(of: me, view, body)
  }
}

private func visitMessages(of user: UserID, _ view: TableView, _ body: (RowKey) -> Bool) {
  view.model.views.partners(of: user).visit { partner in
    view.model.views.messages(user, partner).reversed().visit { body(RowKey($0)) }
  }
}
