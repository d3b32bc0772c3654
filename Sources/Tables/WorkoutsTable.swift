import Events
import Projections
import UseCases

extension Table {
  /// The workouts that the viewer may see.
  static let workouts = Table(
    "workouts", "The shared workouts, with the numbers of their chups and comments.",
    [
      Member("id", .text, "The workout's id.") { (item: WorkoutShared, view) in
        view.name(item.workout)
      },
      Member("owner_id", .user, "The user who shared the workout.", references: "profiles") {
        $1.name($0.owner)
      },
      Member("local_id", .text, "The id that the owner's app gave it.", isOptional: true) {
        item, _ in
        .optional(item.localID)
      },
      Member("date", .time, "The workout's date.") { item, _ in .time(item.date.instant) },
      Member("workout_type", .text, "The type, such as 2000m.", isOptional: true) { item, _ in
        .optional(item.workoutType)
      },
      Member("total_time", .text, "The time as mm:ss.t or h:mm:ss.t.", isOptional: true) {
        item, _ in
        .optional(item.totalTime)
      },
      Member("total_distance", .integer, "The distance in metres.", isOptional: true) { item, _ in
        item.totalDistance.map { .int($0) } ?? .null
      },
      Member("average_split", .text, "The time for 500 metres.", isOptional: true) { item, _ in
        .optional(item.averageSplit)
      },
      Member("intensity_zone", .text, "The intensity zone.", isOptional: true) { item, _ in
        .optional(item.intensityZone)
      },
      Member("is_erg_test", .bool, "Whether it was a test.") { item, _ in .bool(item.isErgTest) },
      Member("text", .text, "The owner's text.", isOptional: true) { item, _ in .optional(item.text)
      },
      Member("session", .text, "The id of a session.", isOptional: true) { item, _ in
        .optional(item.session)
      },
      Member("climb", .text, "The id of a climb.", isOptional: true) { item, _ in
        .optional(item.climb)
      },
      Member("audience", .text, "private, friends, followers or public.") { item, view in
        .text((item.audience ?? view.model.rules.audience).rawValue)
      },
      Member("chup_count", .integer, "The number of all chups, including those by hidden users.") {
        item, view in
        .optional(view.model.views.chupCount(of: item.workout))
      },
      Member(
        "big_chup_count", .integer,
        "The number of all big chups, including those by hidden users."
      ) { item, view in
        .optional(view.model.views.bigChupCount(of: item.workout))
      },
      Member(
        "comment_count", .integer, "The number of all comments, including those by hidden users."
      ) { item, view in
        .optional(view.model.views.commentCount(on: item.workout))
      },
      Member("chupped_by_me", .bool, "Whether the caller chupped it.", isViewers: true) {
        item, view in
        .bool(view.me.map { view.model.views.hasChupped(item.workout, $0) } ?? false)
      },
      Member("created_at", .time, "The time of sharing.") { item, view in
        .optional(view.model.views.times(of: item.workout)?.shared)
      },
    ],
    key: ["id"],
    mirror: MirrorRows(
      indexes: [["owner_id", "date"], ["date"]],
      { key, view in [view.name(key.workout)] },
      changed: { event, view, touch in
        switch event {
        case .workout(let event): touch(RowKey(event.workout))
        case .chup(let event): touch(RowKey(event.key.workout))
        case .comment(.posted(let data)): touch(RowKey(data.workout))
        default:
          view.visitWorkouts(of: event) { touch(RowKey($0)) }
          view.visitComments(of: event) {
            if let comment = view.model.views.comment($0) { touch(RowKey(comment.workout)) }
          }
          guard let user = event.account else { return }
          for workout in view.model.views.workoutsChupped(by: user) { touch(RowKey(workout)) }
        }
      }),
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
    "workout_details", "The details that owners attached to their workouts.",
    [
      Member("workout_id", .text, "The workout.", references: "workouts") {
        (item: WorkoutDetailAttached, view) in view.name(item.workout)
      },
      Member("intervals", .json, "The intervals, as an array.") { item, _ in
        .json(item.intervals.json)
      },
      Member("image", .text, "The picture's address.", isOptional: true) { item, _ in
        .optional(item.image)
      },
      Member(
        "ocr_confidence", .double, "The confidence of the recognition, 0 to 1.", isOptional: true
      ) { item, _ in
        item.ocrConfidence.map { .double($0) } ?? .null
      },
      Member(
        "was_manually_edited", .bool, "Whether a person corrected the numbers.", isOptional: true
      ) { item, _ in
        .optional(item.wasManuallyEdited)
      },
      Member("created_at", .time, "The time of attaching.") { item, view in
        .optional(view.model.views.times(of: item.workout)?.attached)
      },
    ],
    key: ["workout_id"],
    mirror: MirrorRows(
      { key, view in [view.name(key.workout)] },
      changed: { event, view, touch in view.visitDetails(of: event) { touch(RowKey($0)) } }),
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

extension Table {
  /// The intervals of the attached details, one row each.
  static let workoutIntervals = Table(
    "workout_intervals", "The intervals of the attached details, one row each.",
    [
      Member("workout_id", .text, "The workout.", references: "workout_details") {
        (item: IntervalItem, view) in view.name(item.workout)
      },
      Member("position", .integer, "The interval's place in the detail, from 0.") { item, _ in
        .int(Int64(item.index))
      },
      Member("order_index", .integer, "The number that the app gave it.") { item, _ in
        .int(item.interval.orderIndex)
      },
      Member("time", .text, "The time as mm:ss.t or h:mm:ss.t.") { item, _ in
        .text(item.interval.time)
      },
      Member("meters", .integer, "The distance in metres.") { item, _ in
        .int(item.interval.meters)
      },
      Member("split_per_500m", .text, "The time for 500 metres.") { item, _ in
        .text(item.interval.splitPer500m)
      },
      Member("stroke_rate", .integer, "Strokes per minute.") { item, _ in
        .int(item.interval.strokeRate)
      },
      Member("heart_rate", .integer, "Heartbeats per minute.", isOptional: true) { item, _ in
        item.interval.heartRate.map { .int($0) } ?? .null
      },
    ],
    key: ["workout_id", "position"],
    mirror: MirrorRows(

      { key, view in [view.name(key.workout), .int(Int64(key.b))] },
      changed: { event, view, touch in
        view.visitDetails(of: event) { visitIntervals(of: $0, view) { touching($0, touch) } }
      }),
    all: { view, body in
      for index in 0..<UInt32(view.model.names.count(of: .workout)) {
        guard visitIntervals(of: WorkoutID(index: index), view, body) else { return }
      }
    },
    item: { key, view in
      guard view.workout(key.workout) != nil,
        let interval = view.model.views.detail(of: key.workout)?.intervals.dropFirst(Int(key.b))
          .first
      else { return nil }
      return IntervalItem(workout: key.workout, index: key.b, interval: interval)
    })

  /// The metres of the users' workouts by week.
  static let weeklyMeters = Table(
    "weekly_meters", "The metres of each user's workouts in each week that has any.",
    [
      Member("user_id", .user, "The user.", references: "profiles") { (key: RowKey, view) in
        view.name(key.user)
      },
      Member("week", .date, "The Monday of the week, in UTC.") { key, _ in key.monday },
      Member("meters", .integer, "The metres of all workouts that are not private.") { key, view in
        .int(view.model.views.meters(of: key.user, inWeek: key.week)?.shared ?? 0)
      },
      Member("private_meters", .integer, "The metres of private workouts.") { key, view in
        .int(view.model.views.meters(of: key.user, inWeek: key.week)?[.private] ?? 0)
      },
    ],
    key: ["user_id", "week"],
    mirror: MirrorRows(
      indexes: [["week"]],
      { key, view in [view.name(key.user), key.monday] },
      changed: { event, view, touch in
        func touchWeek(_ workout: WorkoutID) {
          guard let workout = view.model.views.workout(workout) else { return }
          touch(RowKey(workout.owner, week: workout.date))
        }
        switch event {
        case .workout(.shared(let data)): touch(RowKey(data.owner, week: data.date))
        case .workout(.edited(let data)):
          touchWeek(data.workout)
          if let date = data.date, let workout = view.model.views.workout(data.workout) {
            touch(RowKey(workout.owner, week: date))
          }
        default: view.visitWorkouts(of: event, touchWeek)
        }
      }),
    all: { view, body in
      view.model.views.forEachWeek { user, week in _ = body(RowKey(user, week: week)) }
    },
    item: { key, view in
      !view.isHidden(key.user) && view.model.views.meters(of: key.user, inWeek: key.week) != nil
        ? key : nil
    })
}

private struct IntervalItem: Sendable {
  let workout: WorkoutID
  let index: UInt32
  let interval: Interval
}

extension RowKey {
  /// A key with the week of a date.
  fileprivate init(_ user: UserID, week date: DateTime) {
    self.init(user, week: date.instant.weeksSinceEpoch)
  }

  /// A key with the number of a week, which may be negative.
  fileprivate init(_ user: UserID, week: Int64) {
    self.init(user, number: UInt32(bitPattern: Int32(clamping: week)))
  }

  fileprivate var week: Int64 { Int64(Int32(bitPattern: b)) }
  fileprivate var monday: TableValue {
    .text(String("\(Timestamp.start(ofWeek: week))".prefix(10)))
  }
}

extension TableView {
  /// Calls `body` with each workout whose detail an event may change.
  fileprivate func visitDetails(of event: Event, _ body: (WorkoutID) -> Void) {
    if case .workout(.detailAttached(let data)) = event { return body(data.workout) }
    visitWorkouts(of: event, body)
  }
}

@discardableResult
private func visitIntervals(
  of workout: WorkoutID, _ view: TableView, _ body: (RowKey) -> Bool
) -> Bool {
  let count = view.model.views.detail(of: workout)?.intervals.count ?? 0
  return (0..<UInt32(count)).visit { body(RowKey(workout, number: $0)) }
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
