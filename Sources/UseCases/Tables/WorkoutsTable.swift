import Events
import Projections

extension Table {
  /// The workouts that the viewer may see.
  static let workouts = Table(
    "workouts",
    [
      Member("id", .text) { (item: WorkoutShared, view) in view.name(item.workout) },
      Member("owner_id", .user, references: "profiles") { $1.name($0.owner) },
      Member("local_id", .text) { item, _ in .optional(item.localID) },
      Member("date", .time) { item, _ in .time(item.date.instant) },
      Member("workout_type", .text) { item, _ in .optional(item.workoutType) },
      Member("total_time", .text) { item, _ in .optional(item.totalTime) },
      Member("total_distance", .integer) { item, _ in
        item.totalDistance.map { .int($0) } ?? .null
      },
      Member("average_split", .text) { item, _ in .optional(item.averageSplit) },
      Member("intensity_zone", .text) { item, _ in .optional(item.intensityZone) },
      Member("is_erg_test", .bool) { item, _ in .bool(item.isErgTest) },
      Member("text", .text) { item, _ in .optional(item.text) },
      Member("session", .text) { item, _ in .optional(item.session) },
      Member("climb", .text) { item, _ in .optional(item.climb) },
      Member("audience", .text) { item, view in
        .text((item.audience ?? view.model.rules.audience).rawValue)
      },
      Member("chup_count", .integer) { item, view in
        .optional(view.model.views.chupCount(of: item.workout))
      },
      Member("big_chup_count", .integer) { item, view in
        .optional(view.model.views.bigChupCount(of: item.workout))
      },
      Member("comment_count", .integer) { item, view in
        .optional(view.model.views.commentCount(on: item.workout))
      },
      Member("chupped_by_me", .bool) { item, view in
        .bool(view.me.map { view.model.views.hasChupped(item.workout, $0) } ?? false)
      },
      Member("created_at", .time) { item, view in
        .optional(view.model.views.times(of: item.workout)?.shared)
      },
    ],
    key: ["id"],
    indexes: [
      NamedIndex(columns: ["id"], isOpen: true) { values, view, body in
        view.find(values[0]).map { (id: WorkoutID) in _ = body(RowKey(id)) }
      },
      NamedIndex(
        columns: ["owner_id"], newestBy: [("date", nil)], estimate: { _, _ in 100 },
        visit: { values, view, body in
          guard let owner = view.user(values[0]) else { return }
          view.model.views.visitNewest(
            of: [(owner, .max)], where: { view.model.sees($1, of: $0, view.viewer) }
          ) { body(RowKey($0.workout)) }
        }),
    ],
    writes: workoutWrites,
    all: visitWorkouts, item: { key, view in view.workout(key.workout) })

  /// The details attached to the workouts that the viewer may see.
  static let workoutDetails = Table(
    "workout_details",
    [
      Member("workout_id", .text, references: "workouts") {
        (item: WorkoutDetailAttached, view) in view.name(item.workout)
      },
      Member("intervals", .json) { item, _ in .json(item.intervals.json) },
      Member("image", .text) { item, _ in .optional(item.image) },
      Member("ocr_confidence", .double) { item, _ in
        item.ocrConfidence.map { .double($0) } ?? .null
      },
      Member("was_manually_edited", .bool) { item, _ in .optional(item.wasManuallyEdited) },
      Member("created_at", .time) { item, view in
        .optional(view.model.views.times(of: item.workout)?.attached)
      },
    ],
    key: ["workout_id"],
    indexes: [
      NamedIndex(columns: ["workout_id"], isOpen: true) { values, view, body in
        view.find(values[0]).map { (id: WorkoutID) in _ = body(RowKey(id)) }
      }
    ],
    writes: detailWrites,
    all: visitWorkouts,
    item: { key, view in
      view.workout(key.workout) == nil ? nil : view.model.views.detail(of: key.workout)
    })
}

@Sendable private func visitWorkouts(_ view: TableView, _ body: (RowKey) -> Bool) {
  (0..<UInt32(view.model.names.count(of: .workout))).visit {
    body(RowKey(WorkoutID(index: $0)))
  }
}

private let workoutFields: KeyValuePairs = [
  "local_id": "localID", "date": "date", "workout_type": "workoutType",
  "total_time": "totalTime", "total_distance": "totalDistance", "average_split": "averageSplit",
  "intensity_zone": "intensityZone", "is_erg_test": "isErgTest", "text": "text",
  "session": "session", "climb": "climb", "audience": "audience",
]

private let workoutWrites = TableWrites(
  owner: "owner_id", isOwnersOnly: true, conflict: ["id"], writable: Set(workoutFields.map(\.key)),
  id: "id",
  insert: { change in
    let fields = change.fields(workoutFields, nulls: false)
    return [
      TableCommand("ShareWorkout", [.init("workout", change["id"] ?? .null)] + fields)
    ]
  },
  update: { (change) throws(TableFault) in
    try change.checkMine("owner_id", "EditWorkout changes only the caller's workouts.")
    let fields = change.fields(workoutFields)
    if fields.isEmpty { return [] }
    return [TableCommand("EditWorkout", [.init("workout", change.row["id"] ?? .null)] + fields)]
  },
  delete: { (change) throws(TableFault) in
    try change.checkMine("owner_id", "RemoveWorkout removes only the caller's workouts.")
    return [TableCommand("RemoveWorkout", "workout", change.row["id"])]
  })

private let detailFields: KeyValuePairs = [
  "workout_id": "workout", "intervals": "intervals", "image": "image",
  "ocr_confidence": "ocrConfidence",
  "was_manually_edited": "wasManuallyEdited",
]

private let detailWrites = TableWrites(
  conflict: ["workout_id"], writable: Set(detailFields.map(\.key)),
  insert: { [TableCommand("AttachWorkoutDetail", $0.fields(detailFields, nulls: false))] },
  update: { change in
    // The use case replaces the whole detail.
    let whole = TableChange(
      values: change.row.merging(change.values) { $1 }, row: [:], user: change.user)
    return [TableCommand("AttachWorkoutDetail", whole.fields(detailFields, nulls: false))]
  },
  hint: "Remove the workout, or attach another detail; AttachWorkoutPhoto attaches a picture.")
