import Events
import Projections
import UseCases

extension Table {
  /// The comments on the workouts that the viewer may see. A hidden author's id is null.
  static let comments = Table(
    "comments", "The comments on workouts.",
    [
      Member("id", .text, "The comment's id.") { (item: CommentItem, _) in .text(item.row.comment)
      },
      Member("workout_id", .text, "The workout.", references: "workouts") { $1.name($0.workout) },
      Member("user_id", .user, "The author.", references: "profiles", isOptional: true) { item, _ in
        .optional(item.row.user)
      },
      Member("text", .text, "The text.") { item, _ in .text(item.row.text) },
      Member(
        "reply_to", .text,
        "The comment that this one answers, also if it was removed; null if a block hides it.",
        references: "comments", isOptional: true, mayDangle: true
      ) { item, _ in
        .optional(item.row.replyTo)
      },
      Member("heart_count", .integer, "The number of all hearts, including those by hidden users.")
      { item, _ in
        .optional(item.row.hearts)
      },
      Member("hearted_by_me", .bool, "Whether the caller gave it a heart.", isViewers: true) {
        item, _ in .bool(item.row.heartedByMe)
      },
      Member("created_at", .time, "The time of posting.") { item, _ in .time(item.row.time) },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["workout_id", "created_at"], ["user_id"], ["reply_to"]],
      { key, view in [view.name(key.comment)] },
      changed: { event, view, touch in
        switch event {
        case .comment(.edited(let data)): return touch(RowKey(data.comment))
        case .heart(let event): return touch(RowKey(event.key.comment))
        default: break
        }
        view.visitComments(of: event) { touch(RowKey($0)) }
        guard let user = event.account else { return }
        for comment in view.model.views.commentsHearted(by: user) { touch(RowKey(comment)) }
      }),
    indexes: [
      NamedIndex(columns: ["id"], isOpen: true) { values, view, body in
        view.find(values[0]).map { (id: CommentID) in _ = body(RowKey(id)) }
      },
      NamedIndex(
        columns: ["workout_id"], isOpen: true, newestBy: [("created_at", nil)],
        estimate: { values, view in
          view.find(values[0]).map { view.model.views.commentCount(on: $0) } ?? 0
        },
        visit: { values, view, body in
          guard let workout: WorkoutID = view.find(values[0]) else { return }
          view.model.views.comments(on: workout).reversed().visit { body(RowKey($0)) }
        }),
    ],
    writes: TableWrites(
      owner: "user_id", conflict: ["id"], writable: ["workout_id", "text", "reply_to"],
      fixed: ["workout_id", "reply_to"], id: "id",
      insert: { change in
        let fields = change.fields(
          ["id": "comment", "workout_id": "workout", "text": "text", "reply_to": "replyTo"],
          nulls: false)
        return [TableCommand("PostComment", fields)]
      },
      update: { (change) throws(TableFault) in
        try change.checkMine("user_id", "EditComment changes only the caller's comments.")
        let fields = change.fields(["text": "text"])
        if fields.isEmpty { return [] }
        return [TableCommand("EditComment", [.init("comment", change.row["id"] ?? .null)] + fields)]
      },
      delete: { [TableCommand("RemoveComment", "comment", $0.row["id"])] }),
    all: visitComments,
    item: { key, view in
      guard let comment = view.model.views.comment(key.comment),
        view.workout(comment.workout) != nil,
        let row = CommentRow(key.comment, for: view.viewer, in: view.model)
      else { return nil }
      return CommentItem(row: row, workout: comment.workout)
    })

  /// The hearts that the viewer gave to comments. No use case shows who else gave hearts.
  static let commentHearts = Table(
    "comment_hearts", "The hearts that users gave to comments.",
    [
      Member("comment_id", .text, "The comment.", references: "comments") { (key: RowKey, view) in
        view.name(key.comment)
      },
      Member("user_id", .user, "The user who gave it.", references: "profiles") {
        $1.name($0.other)
      },
    ],
    key: ["comment_id", "user_id"],
    mirror: MirrorRows(
      indexes: [["user_id"]],
      { key, view in [view.name(key.comment), view.name(key.other)] },
      changed: { event, view, touch in
        if case .heart(let event) = event { return touch(event.key) }
        view.visitComments(of: event) { comment in
          for user in view.model.views.hearts(of: comment) { touch(RowKey(comment, user)) }
        }
        guard let user = event.account else { return }
        for comment in view.model.views.commentsHearted(by: user) { touch(RowKey(comment, user)) }
      }),
    indexes: [
      NamedIndex(columns: ["comment_id"]) { values, view, body in
        guard let comment: CommentID = view.find(values[0]), let me = view.me else { return }
        _ = body(RowKey(comment, me))
      }
    ],
    writes: TableWrites(
      owner: "user_id", isOwnersOnly: true, conflict: ["comment_id"], writable: ["comment_id"],
      insert: { [TableCommand("HeartComment", "comment", $0["comment_id"])] },
      delete: { [TableCommand("UnheartComment", "comment", $0["comment_id"])] },
      hint: "A heart can only be inserted or deleted."),
    all: { view, body in
      if view.isMirror {
        return visitComments(view) { key in
          view.model.views.hearts(of: key.comment).visit { body(RowKey(key.comment, $0)) }
        }
      }
      guard let me = view.me else { return }
      visitComments(view) { body(RowKey($0.comment, me)) }
    },
    item: { key, view in
      if view.isMirror {
        let comment = view.model.views.comment(key.comment)
        return comment.flatMap { view.workout($0.workout) } != nil && !view.isHidden(key.other)
          && view.model.views.isHearted(key.comment, by: key.other) ? key : nil
      }
      guard let me = view.me, key.other == me,
        let comment = view.model.views.comment(key.comment), view.workout(comment.workout) != nil,
        CommentRow(key.comment, for: view.viewer, in: view.model)?.heartedByMe == true
      else { return nil }
      return key
    })
}

private struct CommentItem: Sendable {
  let row: CommentRow
  let workout: WorkoutID
}

@Sendable private func visitComments(_ view: TableView, _ body: (RowKey) -> Bool) {
  (0..<UInt32(view.model.names.count(of: .comment))).visit {
    body(RowKey(CommentID(index: $0)))
  }
}
