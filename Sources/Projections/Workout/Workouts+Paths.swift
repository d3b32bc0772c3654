import Events

extension StatePath.Kind {
  /// The paths `workout/WORKOUT.MEMBER`: one for each field of a workout. `Chups` and `Comments`
  /// provide the counts of chups and comments.
  public static let workout = StatePath.Kind(
    "workout", "the workout, such as .owner, .totalDistance, .text", of: ["WORKOUT"],
    members: [
      "owner": .id(of: .user), "localID": .text, "date": .text, "workoutType": .text,
      "totalTime": .text, "totalDistance": .number, "averageSplit": .text, "intensityZone": .text,
      "isErgTest": .truth, "text": .text, "session": .text, "climb": .text, "audience": .text,
      "intervals": .number,
      "chups": .number.set(by: .chup),
      "comments": .number.set(by: [.commentPosted, .commentRemoved]),
    ],
    types: Workouts.handles.union(Chups.handles).union(Comments.handles),
    sources: [.workout, .chups, .posts], leads: [.commentPosted: [.comment, .workout]])

  /// The path `workouts/USER`: the user's workouts.
  public static let workouts = StatePath.Kind(
    "workouts", "the user's workouts, latest date first", of: ["USER"], root: .list(of: .workout),
    types: Workouts.handles,
    sources: [.owner], leads: [.workoutShared: [.workout]])
}

extension Workouts: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.workout, .workouts]

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .workout, let id = names.find(workout: path.ids[0]), let workout = self[id]
    else { return Values() }
    return Values(
      names.path("workout", id),
      [
        ("owner", text(names[workout.owner])), ("localID", text(workout.localID)),
        ("date", text(workout.date.text)), ("workoutType", text(workout.workoutType)),
        ("totalTime", text(workout.totalTime)),
        ("totalDistance", workout.totalDistance.map { .int($0) }),
        ("averageSplit", text(workout.averageSplit)),
        ("intensityZone", text(workout.intensityZone)), ("isErgTest", .bool(workout.isErgTest)),
        ("text", text(workout.text)), ("session", text(workout.session)),
        ("climb", text(workout.climb)), ("audience", text(workout.audience?.rawValue)),
        ("intervals", detail(of: id).map { .int($0.intervals.count) }),
      ])
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard path.kind == .workouts, let user = names.find(user: path.ids[0]) else { return [] }
    let ids = lists[user.index].map { WorkoutID(index: $0.workout) }
    var found = StateList(names.path("workouts", user), ids: ids, names)
    found.mayReorder = true
    return [found]
  }
}
