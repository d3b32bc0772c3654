import Events
import Projections
import UseCases

extension Table {
  /// The viewer's blocks of other users.
  static let blocks = Table(
    "blocks", "The users' blocks of other users.",
    [
      Member("user_id", .user, "The user who blocks.", references: "profiles") { key, view in
        view.name(key.user)
      },
      Member("blocked_id", .user, "The blocked user.") { (key: RowKey, view) in view.name(key.other)
      },
      Member("created_at", .time, "The time of the block.") { key, view in
        .optional(view.model.views.blockedSince(key.user, key.other))
      },
    ],
    key: ["user_id", "blocked_id"],
    mirror: MirrorRows(
      indexes: [["blocked_id"]],
      { key, view in [view.name(key.user), view.name(key.other)] },
      changed: { event, view, touch in
        switch event {
        case .block(.blocked(let block)), .block(.unblocked(let block)):
          touch(RowKey(block.user, block.other))
        default:
          guard let user = event.account else { return }
          for other in view.model.views.blocked(by: user) { touch(RowKey(user, other)) }
          for other in view.model.views.blockers(of: user) { touch(RowKey(other, user)) }
        }
      }),
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
      let isShown = view.isMirror ? !view.isHidden(key.user) : view.me == key.user
      return isShown && view.model.views.blockedSince(key.user, key.other) != nil ? key : nil
    })
}

@Sendable private func visitOwn(_ view: TableView, _ body: (RowKey) -> Bool) {
  if view.isMirror {
    view.visitUsers { user in view.model.views.blocked(by: user).visit { body(RowKey(user, $0)) } }
    return
  }
  guard let me = view.me else { return }
  view.model.views.blocked(by: me).visit { body(RowKey(me, $0)) }
}
