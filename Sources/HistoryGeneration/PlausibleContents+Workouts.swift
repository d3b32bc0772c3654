import Events

extension PlausibleContents {
  /// A workout of the last few days.
  func workout(
    _ id: WorkoutID, of owner: UserID, _ moment: ContentMoment, _ t: RandomChoices
  ) -> WorkoutShared {
    let kind = t.random.pick(Phrases.workoutKinds)
    let effort = Effort(kind, &t.random)
    var workout = WorkoutShared(
      workout: id, owner: owner, localID: "local-\(id.index + 1)", date: date(moment, &t.random),
      workoutType: kind.name, totalTime: Texts.duration(effort.time),
      totalDistance: Int64(effort.meters), averageSplit: Texts.duration(effort.split),
      isErgTest: t.random.oneIn(9), audience: audience(&t.random))
    if !t.random.oneIn(3) { workout.intensityZone = t.random.pick(Phrases.zones) }
    if t.random.oneIn(2) { workout.text = Texts.workout(&t.random) }
    if t.random.oneIn(5) { workout.session = Texts.session(&t.random) }
    if t.random.oneIn(5) { workout.climb = Texts.climb(&t.random) }
    return workout
  }

  /// Mostly friends.
  private func audience(_ random: inout SplitMix64) -> Audience {
    switch random.below(16) {
    case 0: .private
    case 1: .public
    case 2, 3: .followers
    default: .friends
    }
  }

  /// Changes one or two members.
  func edited(
    _ workout: WorkoutID, _ moment: ContentMoment, _ t: RandomChoices
  ) -> WorkoutEdited {
    var edit = WorkoutEdited(workout: workout)
    for _ in 0...t.random.below(2) { change(&edit, moment, &t.random) }
    return edit
  }

  private func change(
    _ edit: inout WorkoutEdited, _ moment: ContentMoment, _ random: inout SplitMix64
  ) {
    switch random.below(7) {
    case 0: edit.date = date(moment, &random)
    case 1:
      let kind = random.pick(Phrases.workoutKinds)
      let effort = Effort(kind, &random)
      edit.workoutType = .set(kind.name)
      edit.totalTime = .set(Texts.duration(effort.time))
      edit.totalDistance = .set(Int64(effort.meters))
      edit.averageSplit = .set(Texts.duration(effort.split))
    case 2: edit.intensityZone = patch(&random) { $0.pick(Phrases.zones) }
    case 3: edit.isErgTest = random.oneIn(2)
    case 4: edit.text = patch(&random, Texts.workout)
    case 5: edit.session = patch(&random, Texts.session)
    default: edit.climb = patch(&random, Texts.climb)
    }
  }

  /// What was read from a photo of a monitor, or the owner's corrections.
  func detail(_ workout: WorkoutID, _ t: RandomChoices) -> WorkoutDetailAttached {
    let isEdited = t.random.oneIn(2)
    let isRead = !isEdited || t.random.oneIn(2)
    let hasHeartRate = t.random.oneIn(2)
    let intervals = (0...t.random.below(8)).map { order in
      interval(order, hasHeartRate: hasHeartRate, &t.random)
    }
    return WorkoutDetailAttached(
      workout: workout, intervals: intervals,
      image: isRead ? "monitors/\(Texts.hex8(&t.random)).jpg" : nil,
      ocrConfidence: isRead ? confidence(&t.random) : nil, wasManuallyEdited: isEdited)
  }

  private func interval(
    _ order: Int, hasHeartRate: Bool, _ random: inout SplitMix64
  ) -> Interval {
    let effort = Effort(meters: 100 * (1 + random.below(20)) + random.below(3), &random)
    return Interval(
      orderIndex: Int64(order), time: Texts.duration(effort.time), meters: Int64(effort.meters),
      splitPer500m: Texts.duration(effort.split), strokeRate: Int64(18 + random.below(20)),
      heartRate: hasHeartRate ? Int64(110 + random.below(85)) : nil,
      timeConfidence: confidence(&random), metersConfidence: confidence(&random),
      splitConfidence: confidence(&random), rateConfidence: confidence(&random),
      heartRateConfidence: hasHeartRate ? confidence(&random) : nil)
  }

  /// 0…1 in thousandths, mostly high.
  private func confidence(_ random: inout SplitMix64) -> Double {
    Double(1_000 - random.skewed(1_001)) / 1_000
  }

  /// An instant in the last three days, mostly in the last hours, in one of RFC 3339's forms.
  private func date(_ moment: ContentMoment, _ random: inout SplitMix64) -> DateTime {
    let ago = Int64(random.skewed(3 * 86_400)) * 1_000 + Int64(random.below(1_000))
    let hours = random.oneIn(4) ? random.below(27) - 12 : 0
    let local = Timestamp(milliseconds: moment.time - ago + Int64(hours) * 3_600_000)
    let digits = local.description.prefix(random.oneIn(8) ? 23 : 19)
    let zone = hours == 0 ? "Z" : (hours < 0 ? "-" : "+") + abs(hours).padded(to: 2) + ":00"
    return DateTime(digits + zone) ?? DateTime(Timestamp(milliseconds: moment.time))
  }
}

/// A distance in metres, the time taken for it, and the time for 500 m, both in tenths of a second.
private struct Effort {
  var meters: Int
  var time: Int
  var split: Int

  init(meters: Int, _ random: inout SplitMix64) {
    self.meters = meters
    split = 900 + random.below(700)
    time = split * meters / 500
  }

  /// A climbing day has no metres.
  init(_ kind: Phrases.WorkoutKind, _ random: inout SplitMix64) {
    self.init(meters: kind.meters + random.below(kind.spread), &random)
    if kind.meters == 0 { (time, split) = (6_000 + random.below(90_000), 0) }
  }
}
