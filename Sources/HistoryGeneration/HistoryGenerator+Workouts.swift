import Events

extension HistoryGenerator {
  /// A user, usually one with friends, shares a workout of the last few days.
  mutating func shareWorkout(_ names: inout Names) -> Act? {
    let number = world.workouts.count
    var owner = anyone()
    for _ in 0..<4 where world.friends[owner].isEmpty { owner = anyone() }
    guard number < PairStates.firstLimit, let date = workoutDate(),
      let workout = try? names.workout("w\(number + 1)")
    else { return nil }
    world.profiles[owner].workoutCount += 1
    let kind = random.below(Phrases.workoutKinds.count)
    let effort = effort(Phrases.workoutKinds[kind])
    var marks = WorkoutMarks(
      id: workout, owner: UInt32(owner), isErgTest: random.oneIn(9), kind: UInt8(kind),
      effort: effort, date: fingerprint(date.text))
    var data = WorkoutShared(
      workout: workout, owner: id(owner), localID: "local-\(world.profiles[owner].workoutCount)",
      date: date, workoutType: Phrases.workoutKinds[kind].name,
      totalTime: Texts.duration(effort.time), totalDistance: Int64(effort.meters),
      averageSplit: Texts.duration(effort.split), isErgTest: marks.isErgTest)
    data.audience = audience()
    marks.isPrivate = data.audience == .private
    if !random.oneIn(3) { data.intensityZone = random.pick(Phrases.zones) }
    if random.oneIn(2) { data.text = Texts.workout(&random) }
    if random.oneIn(5) { data.session = Texts.session(&random) }
    if random.oneIn(5) { data.climb = Texts.climb(&random) }
    marks.intensityZone = data.intensityZone.map(fingerprint) ?? 0
    marks.text = data.text.map(fingerprint) ?? 0
    marks.session = data.session.map(fingerprint) ?? 0
    marks.climb = data.climb.map(fingerprint) ?? 0
    world.workouts.append(marks)
    return Act(event: .workout(.shared(data)), user: owner)
  }

  /// Mostly friends.
  private mutating func audience() -> Audience {
    switch random.below(16) {
    case 0: .private
    case 1: .public
    case 2, 3: .followers
    default: .friends
    }
  }

  /// The owner changes one or two members of a workout.
  mutating func editWorkout() -> Act? {
    guard let workout = someWorkout() else { return nil }
    var edit = WorkoutEdited(workout: world.workouts[workout].id)
    let first = random.below(Self.editableParts)
    var isChanged = change(first, of: workout, &edit)
    if random.oneIn(3) {
      let second = (first + 1 + random.below(Self.editableParts - 1)) % Self.editableParts
      isChanged = change(second, of: workout, &edit) || isChanged
    }
    guard isChanged else { return nil }
    return Act(event: .workout(.edited(edit)), user: Int(world.workouts[workout].owner))
  }

  private static var editableParts: Int { 7 }

  /// Changes one member, chosen by number; returns false if it would stay the same.
  private mutating func change(
    _ member: Int, of workout: Int, _ edit: inout WorkoutEdited
  ) -> Bool {
    switch member {
    case 0:
      guard let date = workoutDate(), fingerprint(date.text) != world.workouts[workout].date
      else { return false }
      world.workouts[workout].date = fingerprint(date.text)
      edit.date = date
    case 1: return changeEffort(of: workout, &edit)
    case 2:
      edit.intensityZone = patch(
        &world.workouts[workout].intensityZone, Texts.one(of: Phrases.zones), &random)
    case 3:
      world.workouts[workout].isErgTest.toggle()
      edit.isErgTest = world.workouts[workout].isErgTest
    case 4: edit.text = patch(&world.workouts[workout].text, Texts.workout, &random)
    case 5: edit.session = patch(&world.workouts[workout].session, Texts.session, &random)
    default: edit.climb = patch(&world.workouts[workout].climb, Texts.climb, &random)
    }
    return true
  }

  /// Another time for the workout, every other time with another type; sets only what differs.
  private mutating func changeEffort(of workout: Int, _ edit: inout WorkoutEdited) -> Bool {
    let old = world.workouts[workout]
    let kind = random.oneIn(2) ? random.below(Phrases.workoutKinds.count) : Int(old.kind)
    let new = effort(Phrases.workoutKinds[kind])
    world.workouts[workout].kind = UInt8(kind)
    world.workouts[workout].effort = new
    if kind != Int(old.kind) { edit.workoutType = .set(Phrases.workoutKinds[kind].name) }
    if new.time != old.effort.time { edit.totalTime = .set(Texts.duration(new.time)) }
    if new.meters != old.effort.meters { edit.totalDistance = .set(Int64(new.meters)) }
    if new.split != old.effort.split { edit.averageSplit = .set(Texts.duration(new.split)) }
    return kind != Int(old.kind) || new.time != old.effort.time
      || new.meters != old.effort.meters || new.split != old.effort.split
  }

  /// Attaches what was read from a photo of a monitor, and later the owner's corrections.
  mutating func attachDetail() -> Act? {
    guard let workout = someWorkout(), world.workouts[workout].detail != .edited else {
      return nil
    }
    let isEdited = world.workouts[workout].detail == .read || random.oneIn(3)
    let isRead = !isEdited || random.oneIn(2)
    world.workouts[workout].detail = isEdited ? .edited : .read
    let hasHeartRate = random.oneIn(2)
    let intervals = (0...random.below(8)).map { order in
      interval(order, hasHeartRate: hasHeartRate)
    }
    let data = WorkoutDetailAttached(
      workout: world.workouts[workout].id, intervals: intervals,
      image: isRead ? "monitors/\(Texts.hex8(&random)).jpg" : nil,
      ocrConfidence: isRead ? confidence() : nil, wasManuallyEdited: isEdited)
    return Act(
      event: .workout(.detailAttached(data)), user: Int(world.workouts[workout].owner))
  }

  private mutating func interval(_ order: Int, hasHeartRate: Bool) -> Interval {
    let meters = 100 * (1 + random.below(20)) + random.below(3)
    let effort = effort(meters: meters)
    return Interval(
      orderIndex: Int64(order), time: Texts.duration(effort.time), meters: Int64(meters),
      splitPer500m: Texts.duration(effort.split), strokeRate: Int64(18 + random.below(20)),
      heartRate: hasHeartRate ? Int64(110 + random.below(85)) : nil,
      timeConfidence: confidence(), metersConfidence: confidence(),
      splitConfidence: confidence(), rateConfidence: confidence(),
      heartRateConfidence: hasHeartRate ? confidence() : nil)
  }

  /// 0…1 in thousandths, mostly high.
  private mutating func confidence() -> Double { Double(1_000 - random.skewed(1_001)) / 1_000 }

  mutating func removeWorkout() -> Act? {
    guard let workout = someWorkout() else { return nil }
    world.workouts[workout].isRemoved = true
    let data = WorkoutReference(workout: world.workouts[workout].id)
    return Act(event: .workout(.removed(data)), user: Int(world.workouts[workout].owner))
  }

  /// An instant in the last three days, mostly in the last hours, in one of RFC 3339's forms.
  private mutating func workoutDate() -> DateTime? {
    let ago = Int64(random.skewed(3 * 86_400)) * 1_000 + Int64(random.below(1_000))
    let hours = random.oneIn(4) ? random.below(27) - 12 : 0
    let local = Timestamp(milliseconds: clock.milliseconds - ago + Int64(hours) * 3_600_000)
    let digits = local.description.prefix(random.oneIn(8) ? 23 : 19)
    let zone = hours == 0 ? "Z" : (hours < 0 ? "-" : "+") + abs(hours).padded(to: 2) + ":00"
    return DateTime(digits + zone)
  }

  /// Distance and time of a workout of this kind; a climbing day has no metres.
  private mutating func effort(_ kind: Phrases.WorkoutKind) -> Effort {
    guard kind.meters == 0 else {
      return effort(meters: kind.meters + random.below(kind.spread))
    }
    return Effort(meters: 0, time: UInt32(6_000 + random.below(90_000)), split: 0)
  }

  private mutating func effort(meters: Int) -> Effort {
    let split = 900 + random.below(700)
    return Effort(
      meters: UInt32(meters), time: UInt32(split * meters / 500), split: UInt16(split))
  }
}
