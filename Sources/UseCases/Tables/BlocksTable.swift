import Events
import Projections

extension Table {
  /// The viewer's blocks of other users.
  static let blocks = Table(
    "blocks",
    [
      Member("user_id", .user, references: "profiles") { key, view in view.name(key.user) },
      Member("blocked_id", .user) { (key: RowKey, view) in view.name(key.other) },
      Member("created_at", .time) { key, view in
        .optional(view.model.views.blockedSince(key.user, key.other))
      },
    ],
    key: ["user_id", "blocked_id"],
    indexes: [
      NamedIndex(columns: ["user_id"]) { values, view, body in
        if view.user(values[0]) == view.me { visitOwn(view, body) }
      }
    ],
    writes: TableWrites(
      owner: "user_id", conflict: ["user_id", "blocked_id"], writable: ["blocked_id"],
      insert: { [TableCommand("BlockUser", "user", $0["blocked_id"])] },
      delete: { [TableCommand("UnblockUser", "user", $0["blocked_id"])] },
      hint: "A block can only be inserted or deleted."),
    all: visitOwn,
    item: { key, view in
      view.me == key.user && view.model.views.blockedSince(key.user, key.other) != nil ? key : nil
    })
}

@Sendable private func visitOwn(_ view: TableView, _ body: (RowKey) -> Bool) {
  guard let me = view.me else { return }
  view.model.views.blocked(by: me).visit { body(RowKey(me, $0)) }
}
