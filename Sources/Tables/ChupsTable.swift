import Events
import Projections
import UseCases

extension Table {
  /// The chups of the workouts that the viewer may see, by users who are not hidden. Only the giver
  /// and the workout's owner see whether a chup is big.
  static let chups = Table(
    "chups", "The chups (likes) of workouts; at most one for each workout and user.",
    [
      Member("workout_id", .text, "The workout.", references: "workouts") { (key: RowKey, view) in
        view.name(key.workout)
      },
      Member("user_id", .user, "The user who gave it.", references: "profiles") {
        $1.name($0.other)
      },
      Member("is_big", .bool, "Whether it is a big chup.") { key, view in
        let isShown =
          view.viewer == .service || view.me == key.other
          || view.me == view.model.views.workout(key.workout)?.owner
        return isShown ? .bool(view.model.views.isBigChup(key.workout, key.other)) : .null
      },
      Member("created_at", .time, "The time of the chup.") {
        .optional($1.model.views.chuppedSince($0.workout, $0.other))
      },
    ],
    key: ["workout_id", "user_id"],
    mirror: MirrorRows(
      indexes: [["user_id"]],
      { key, view in [view.name(key.workout), view.name(key.other)] },
      changed: { event, view, touch in
        if case .chup(let event) = event { return touch(event.key) }
        view.visitWorkouts(of: event) { workout in
          for user in view.model.views.chups(of: workout) { touch(RowKey(workout, user)) }
        }
        guard let user = event.account else { return }
        for workout in view.model.views.workoutsChupped(by: user) { touch(RowKey(workout, user)) }
      }),
    indexes: [
      NamedIndex(columns: ["workout_id", "user_id"], isOpen: true) { values, view, body in
        guard let workout: WorkoutID = view.find(values[0]), let user = view.user(values[1])
        else { return }
        _ = body(RowKey(workout, user))
      },
      NamedIndex(
        columns: ["workout_id"], isOpen: true, newestBy: [("created_at", nil)],
        estimate: { values, view in
          view.find(values[0]).map { view.model.views.chupCount(of: $0) } ?? 0
        },
        visit: { values, view, body in
          guard let workout: WorkoutID = view.find(values[0]) else { return }
          view.model.views.chups(of: workout).visit { body(RowKey(workout, $0)) }
        }),
    ],
    writes: TableWrites(
      owner: "user_id", isOwnersOnly: true, conflict: ["workout_id", "user_id"],
      writable: ["workout_id", "is_big"],
      insert: chupCommands,
      update: { (change) throws(TableFault) in
        try change.checkMine("user_id", "A chup belongs to the user who gave it.")
        return change.values["is_big"] == nil ? [] : chupCommands(change)
      },
      delete: { (change) throws(TableFault) in
        try change.checkMine("user_id", "A chup belongs to the user who gave it.")
        return [TableCommand("WithdrawChup", "workout", change["workout_id"])]
      }),
    all: { view, body in
      for index in 0..<UInt32(view.model.names.count(of: .workout)) {
        let workout = WorkoutID(index: index)
        guard view.model.views.chups(of: workout).visit({ body(RowKey(workout, $0)) }) else {
          return
        }
      }
    },
    item: { key, view in
      view.workout(key.workout) != nil && !view.isHidden(key.other)
        && view.model.views.hasChupped(key.workout, key.other) ? key : nil
    })

  /// The reactions to the workouts that the viewer may see, by users who are not hidden.
  static let reactions = Table(
    "reactions", "The reactions to workouts; at most one of each kind for each user.",
    [
      Member("workout_id", .text, "The workout.", references: "workouts") { (key: RowKey, view) in
        view.name(key.workout)
      },
      Member("user_id", .user, "The user who gave it.", references: "profiles") {
        $1.name($0.other)
      },
      Member("kind", .text, "The kind of reaction.") { key, _ in .text(key.reaction.rawValue) },
    ],
    key: ["workout_id", "user_id", "kind"],
    mirror: MirrorRows(
      indexes: [["user_id"]],
      { key, view in
        [view.name(key.workout), view.name(key.other), .text(key.reaction.rawValue)]
      },
      changed: { event, view, touch in
        if case .reaction(let event) = event {
          for number in ReactionKind.allCases.indices {
            touch(RowKey(event.data.workout, event.data.user, UInt32(number)))
          }
          return
        }
        view.visitWorkouts(of: event) { workout in
          for user in view.model.views.reactions(to: workout) {
            visitReactions(to: workout, by: user, view) { touching($0, touch) }
          }
        }
        guard let user = event.account else { return }
        for workout in view.model.views.workoutsReacted(by: user) {
          visitReactions(to: workout, by: user, view) { touching($0, touch) }
        }
      }),
    indexes: [
      NamedIndex(columns: ["workout_id", "user_id"], isOpen: true) { values, view, body in
        guard let workout: WorkoutID = view.find(values[0]), let user = view.user(values[1])
        else { return }
        visitReactions(to: workout, by: user, view, body)
      },
      NamedIndex(
        columns: ["workout_id"], isOpen: true, estimate: { _, _ in 20 },
        visit: { values, view, body in
          guard let workout: WorkoutID = view.find(values[0]) else { return }
          view.model.views.reactions(to: workout).visit {
            visitReactions(to: workout, by: $0, view, body)
          }
        }),
    ],
    writes: TableWrites(
      owner: "user_id", isOwnersOnly: true, conflict: ["workout_id", "user_id", "kind"],
      writable: ["workout_id", "kind"],
      insert: { [TableCommand("GiveReaction", reactionFields($0))] },
      delete: { (change) throws(TableFault) in
        try change.checkMine("user_id", "A reaction belongs to the user who gave it.")
        return [TableCommand("WithdrawReaction", reactionFields(change))]
      },
      hint: "A reaction can only be inserted or deleted."),
    all: { view, body in
      for index in 0..<UInt32(view.model.names.count(of: .workout)) {
        let workout = WorkoutID(index: index)
        let went = view.model.views.reactions(to: workout).visit {
          visitReactions(to: workout, by: $0, view, body)
        }
        guard went else { return }
      }
    },
    item: { key, view in
      view.workout(key.workout) != nil && !view.isHidden(key.other)
        && view.model.views.reactions(to: key.workout, by: key.other)
          .contains(ReactionKinds(key.reaction))
        ? key : nil
    })
}

extension RowKey {
  /// The kind of a reaction. Its number in the key is the kind's place in `allCases`.
  fileprivate var reaction: ReactionKind {
    let index = Int(c)
    return ReactionKind.allCases.indices.contains(index)
      ? ReactionKind.allCases[index] : ReactionKind.allCases[0]
  }
}

@discardableResult
private func visitReactions(
  to workout: WorkoutID, by user: UserID, _ view: TableView, _ body: (RowKey) -> Bool
) -> Bool {
  let kinds = view.model.views.reactions(to: workout, by: user)
  return ReactionKind.allCases.enumerated().visit { index, kind in
    !kinds.contains(ReactionKinds(kind)) || body(RowKey(workout, user, UInt32(index)))
  }
}

@Sendable private func chupCommands(_ change: TableChange) -> [TableCommand] {
  let isBig = change.values["is_big"] == .bool(true)
  let workout = change["workout_id"]
  // A big chup becomes an ordinary one only by withdrawing it.
  let first =
    change.row["is_big"] == .bool(true) && !isBig
    ? [TableCommand("WithdrawChup", "workout", workout)] : []
  return first + [TableCommand(isBig ? "GiveBigChup" : "GiveChup", "workout", workout)]
}

private func reactionFields(_ change: TableChange) -> [JSONValue.Member] {
  [
    .init("workout", change["workout_id"] ?? .null), .init("kind", change["kind"] ?? .null),
  ]
}
