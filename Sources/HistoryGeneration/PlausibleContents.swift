import Events

/// Realistic names, texts and workouts within the limits of every preset of rules.
struct PlausibleContents: EventContents {
  let patchWeights: [UInt64] = [8, 1, 3]

  func text(_ kind: ContentText, _ t: RandomChoices) -> String {
    switch kind {
    case .displayName: Texts.displayName(&t.random)
    case .bio: Texts.bio(&t.random)
    case .gym: t.random.pick(Phrases.gyms)
    case .postcode: Texts.postcode(&t.random)
    case .style: t.random.pick(Phrases.styles)
    case .boulderScale: t.random.pick(Phrases.boulderScales)
    case .routeScale: t.random.pick(Phrases.routeScales)
    case .localID: "local-\(Texts.hex8(&t.random))"
    case .zone: t.random.pick(Phrases.zones)
    case .workout: Texts.workout(&t.random)
    case .session: Texts.session(&t.random)
    case .climb: Texts.climb(&t.random)
    case .groupName: Texts.groupName(&t.random)
    case .groupDescription: t.random.pick(Phrases.cheers)
    case .message: Texts.comment(&t.random)
    }
  }

  func isThere(_ kind: ContentText, _ t: RandomChoices) -> Bool {
    switch kind {
    case .zone: !t.random.oneIn(3)
    case .workout, .groupDescription: t.random.oneIn(2)
    case .session, .climb: t.random.oneIn(5)
    default: true
    }
  }

  /// Returns letters and the user's number, so that no two users get the same handle.
  func handle(_ user: UserID, _ t: RandomChoices) -> String? {
    "\(t.random.pick(Phrases.handleStarts))\(user.index + 1)"
  }

  func changedHandle(
    _ user: UserID, _ moment: ContentMoment, _ t: RandomChoices
  ) -> Patch<String> {
    if !t.random.oneIn(4) { return .keep }
    if t.random.oneIn(40), !moment.formerHandles.isEmpty {
      return .set(t.random.pick(moment.formerHandles))
    }
    return handle(user, t).map { Patch.set("\($0)_\(1 + t.random.below(999))") } ?? .keep
  }

  func changedPrivacy(_ t: RandomChoices) -> Bool? {
    t.random.oneIn(4) ? !t.random.oneIn(7) : nil
  }

  func day(_ t: RandomChoices) -> String { Texts.day(&t.random) }

  func photo(_ user: UserID, _ moment: ContentMoment, _ t: RandomChoices) -> ProfilePhotoSet {
    let isPNG = t.random.oneIn(10)
    let path =
      "avatars/u\(user.index + 1)/\(moment.time / 1_000)_\(Texts.hex8(&t.random))"
      + (isPNG ? ".png" : ".jpg")
    return ProfilePhotoSet(
      user: user, url: "https://photos.example.com/\(path)", path: path,
      bytes: Int64(1 + t.random.below(t.random.oneIn(4) ? 5 * 1_024 * 1_024 : 400_000)),
      contentType: isPNG ? "image/png" : "image/jpeg")
  }

  func location(_ user: UserID, _ t: RandomChoices) -> BaseLocationSet {
    let place = t.random.pick(Phrases.places)
    // The unit is 1/10,000 degree. A single division gives the same bits on every machine.
    let spread = place.name == nil ? 0 : 2_000
    return BaseLocationSet(
      user: user, latitude: Double(place.latitude + t.random.below(spread)) / 10_000,
      longitude: Double(place.longitude + t.random.below(spread)) / 10_000,
      name: t.random.oneIn(4) ? nil : place.name)
  }

  /// Returns a sport, often one of the first few.
  func sport(_ t: RandomChoices) -> SportID {
    Self.sports[t.random.skewed(Self.sports.count)]
  }

  private static let sports = Phrases.sports.compactMap { try? SportID($0) }

  func goal(_ t: RandomChoices) -> Int64 { Int64(t.random.below(20)) * 5_000 }

  /// Returns a subscription for another 30 days.
  func premium(_ user: UserID, _ moment: ContentMoment, _ t: RandomChoices) -> PremiumRecorded {
    PremiumRecorded(
      user: user, product: t.random.oneIn(4) ? "coach.monthly" : "plus.monthly",
      expires: DateTime(Timestamp(milliseconds: moment.time + 30 * 86_400_000)),
      transaction: "\(t.random.next())")
  }

  /// Returns a new event id with the current time. The caller uses it as the event's own id.
  func readUpTo(_ moment: ContentMoment, _ t: RandomChoices) -> EventID {
    EventID(
      time: Timestamp(milliseconds: moment.time), random: (t.random.next(), t.random.next()))
  }

  // MARK: Workouts

  /// Returns a time in the last three days, mostly in the last hours, in a form of RFC 3339.
  func date(_ moment: ContentMoment, _ t: RandomChoices) -> DateTime {
    let ago = Int64(t.random.skewed(3 * 86_400)) * 1_000 + Int64(t.random.below(1_000))
    let hours = t.random.oneIn(4) ? t.random.below(27) - 12 : 0
    let local = Timestamp(milliseconds: moment.time - ago + Int64(hours) * 3_600_000)
    let digits = local.description.prefix(t.random.oneIn(8) ? 23 : 19)
    let zone = hours == 0 ? "Z" : (hours < 0 ? "-" : "+") + abs(hours).padded(to: 2) + ":00"
    return DateTime(digits + zone) ?? DateTime(Timestamp(milliseconds: moment.time))
  }

  /// Returns a workout's numbers. A day of climbing has a distance of 0.
  func effort(_ t: RandomChoices) -> Effort {
    let kind = t.random.pick(Phrases.workoutKinds)
    let effort = self.effort(meters: kind.meters + t.random.below(kind.spread), t)
    let time = kind.meters == 0 ? Texts.duration(6_000 + t.random.below(90_000)) : effort.time
    return Effort(type: kind.name, time: time, distance: effort.distance, split: effort.split)
  }

  private func effort(meters: Int, _ t: RandomChoices) -> Effort {
    let split = meters == 0 ? 0 : 900 + t.random.below(700)
    return Effort(
      type: nil, time: Texts.duration(split * meters / 500), distance: Int64(meters),
      split: Texts.duration(split))
  }

  /// Returns `.friends` in 12 of 16 cases.
  func audience(_ t: RandomChoices) -> Audience? {
    switch t.random.below(16) {
    case 0: .private
    case 1: .public
    case 2, 3: .followers
    default: .friends
    }
  }

  /// Returns intervals that were read from a photo of a rowing machine's monitor, or edited by the
  /// owner, or both.
  func detail(_ workout: WorkoutID, _ t: RandomChoices) -> WorkoutDetailAttached {
    let isEdited = t.random.oneIn(2)
    let isRead = !isEdited || t.random.oneIn(2)
    let hasHeartRate = t.random.oneIn(2)
    let intervals = (0...t.random.below(8)).map { order in
      interval(order, hasHeartRate: hasHeartRate, t)
    }
    return WorkoutDetailAttached(
      workout: workout, intervals: intervals,
      image: isRead ? "monitors/\(Texts.hex8(&t.random)).jpg" : nil,
      ocrConfidence: isRead ? confidence(t) : nil, wasManuallyEdited: isEdited)
  }

  private func interval(_ order: Int, hasHeartRate: Bool, _ t: RandomChoices) -> Interval {
    let effort = self.effort(meters: 100 * (1 + t.random.below(20)) + t.random.below(3), t)
    return Interval(
      orderIndex: Int64(order), time: effort.time ?? "", meters: effort.distance ?? 0,
      splitPer500m: effort.split ?? "", strokeRate: Int64(18 + t.random.below(20)),
      heartRate: hasHeartRate ? Int64(110 + t.random.below(85)) : nil,
      timeConfidence: confidence(t), metersConfidence: confidence(t),
      splitConfidence: confidence(t), rateConfidence: confidence(t),
      heartRateConfidence: hasHeartRate ? confidence(t) : nil)
  }

  /// Returns a confidence from 0 to 1 in steps of 1/1,000, mostly a high one.
  private func confidence(_ t: RandomChoices) -> Double {
    Double(1_000 - t.random.skewed(1_001)) / 1_000
  }
}
