import Events

extension StatePath.Kind {
  /// `workout/WORKOUT.MEMBER`; `Chups` and `Comments` have its counts of chups and comments.
  public static let workout = StatePath.Kind(
    "workout", "what was shared: .owner, .totalDistance, .text", of: ["WORKOUT"],
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

  /// `workouts/USER`.
  public static let workouts = StatePath.Kind(
    "workouts", "the user's workouts, the latest first", of: ["USER"], root: .list(of: .workout),
    types: Workouts.handles,
    sources: [.owner], leads: [.workoutShared: [.workout]])
}

extension Workouts: ExplainedProjection {
  public static let kinds: [StatePath.Kind] = [.workout, .workouts]

  public static func touches(_ event: borrowing Event, _ names: Names) -> [Touch] {
    switch event {
    case .workout(let event):
      Event.workout(event).ids.only(WorkoutID.self).flatMap { workout -> [Touch] in
        [
          .path(.workout, workout, names),
          .each(EventIndex.Key(.workout, workout)) {
            owners($0).map { .path(.workouts, $0, names) }
          },
        ]
      }
    case .accountDeleted(let data):
      [
        .path(.workouts, data.user, names),
        .each(EventIndex.Key(.owner, data.user)) { touches($0, names) },
      ]
    default: []
    }
  }

  /// The owner of a workout, according to one of its events.
  static func owners(_ event: Event) -> [UserID] {
    if case .workout(.shared(let data)) = event { return [data.owner] }
    return []
  }

  public func facts(_ names: Names) -> [Fact] {
    names.workouts().flatMap { facts(about: $0, names) }
      + owners.compactMap { list(of: $0, names) }
  }

  func facts(about id: WorkoutID, _ names: Names) -> [Fact] {
    guard let workout = self[id] else { return [] }
    return Projections.facts(
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

  func list(of owner: UserID, _ names: Names) -> Fact? {
    Fact(names.path("workouts", owner), list: latest(of: [(owner, .max)]).map { names[$0.workout] })
  }

  public func values(under path: StatePath, after event: Event?, _ names: Names) -> Values {
    guard path.kind == .workout, let id = names.find(workout: path.ids[0]) else { return Values() }
    return Values(facts(about: id, names))
  }

  public func lists(under path: StatePath, _ names: Names) -> [StateList] {
    guard path.kind == .workouts, let user = names.find(user: path.ids[0]) else { return [] }
    let list = Array(lists[user.index])
    var found = StateList(
      names.path("workouts", user), count: list.count, key: { UInt64(list[$0].workout) },
      name: { names[WorkoutID(index: UInt32($0))] })
    found.mayReorder = true
    return [found]
  }
}
