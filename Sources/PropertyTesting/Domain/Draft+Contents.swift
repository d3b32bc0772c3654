import Aggregates
import Events
import UseCases

// What is in the events that a user might cause.
extension Draft {
  func reference(_ t: Trial, _ earlier: EventType? = nil) -> UserReference {
    UserReference(user: cast.user(t, undoing: earlier))
  }

  func sport(_ t: Trial) -> SportID {
    t.draw(.element(of: rules.sports.prefix(3).compactMap { try? SportID($0.id) }))
  }

  func created(_ t: Trial) -> ProfileCreated {
    let user = cast.newcomer(t)
    return ProfileCreated(
      user: user, handle: mayLackHandle && t.draw(.bool) ? nil : handle(t, user),
      displayName: t.draw(.optional(nameTexts)),
      isPublic: t.draw(.frequency([(3, .just(true)), (1, .just(false))])))
  }

  var mayLackHandle: Bool { cast.isHostile || !rules.handleRequired }

  /// Usually the user's own; sometimes one that may equal another's except for case.
  func handle(_ t: Trial, _ user: UserID) -> String {
    let own = Generator<String>.just("user\(user.index + 1)")
    return t.draw(
      .frequency([
        (6, own), (1, .handle(rules)), (cast.isHostile ? 6 : 1, .element(of: ["taken", "Taken"])),
        (1, cast.isHostile ? .invalidHandle(rules) : own),
      ]))
  }

  func changedHandle(_ t: Trial, _ user: UserID) -> Patch<String> {
    mayLackHandle && t.draw(.bool) ? .clear : .set(handle(t, user))
  }

  /// The texts without what no name may have; in hostile histories with it.
  var nameTexts: Generator<String> {
    if cast.isHostile { return texts }
    return texts.map { text in
      if Rules.isName(text) { return text }
      var scalars = String.UnicodeScalarView()
      for scalar in text.unicodeScalars where Rules.isName("a\(scalar)") { scalars.append(scalar) }
      return String(scalars)
    }
  }

  /// One of the words that the rules offer; in hostile histories any text.
  private func scale(_ words: [String]) -> Generator<String> {
    cast.isHostile || words.isEmpty ? texts : .element(of: words)
  }

  func patch(_ t: Trial) -> Patch<String> { patch(t, texts) }

  func patch<V: Equatable & Sendable>(_ t: Trial, _ value: Generator<V>) -> Patch<V> {
    t.draw(
      .frequency([
        (4, .just(.keep)), (1, .just(.clear)), (2, value.map { .set($0) }),
      ]))
  }

  func edited(_ t: Trial) -> ProfileEdited {
    let user = cast.user(t)
    let date = Generator<Patch<CalendarDate>>.element(
      of: [.keep, .clear]
        + ["2001-02-28", "2024-02-29"].compactMap { CalendarDate($0) }.map { .set($0) })
    return ProfileEdited(
      user: user, handle: t.draw(.bool) ? changedHandle(t, user) : .keep,
      displayName: patch(t, nameTexts),
      bio: patch(t), homeGym: patch(t, nameTexts), homeZIP: patch(t), climbingSince: t.draw(date),
      favoriteStyle: patch(t), boulderGradeScale: patch(t, scale(rules.boulderGradeScales)),
      routeGradeScale: patch(t, scale(rules.routeGradeScales)),
      isPublic: t.draw(.element(of: [nil, false, false, true])),
      riderType: t.draw(.element(of: [.keep, .clear] + RiderType.allCases.map { .set($0) })))
  }

  /// Dates on both sides of the end of a week, of a month and of 1969, and with offsets; in hostile
  /// histories dates to come, too.
  func date(_ t: Trial) -> DateTime {
    let ends =
      cast.isHostile
      ? [
        "2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z",
        "2026-02-01T23:30:00-01:00", "9999-12-31T23:59:59Z",
      ]
      : [
        "2025-10-31T23:59:59.999Z", "2025-11-01T00:00:00Z", "2025-11-03T00:00:00Z",
        "2025-11-02T23:30:00-01:00", "2024-02-29T12:00:00Z",
      ]
    let texts = ends + ["1969-12-31T23:59:59Z", "0000-01-01T00:00:00Z"]
    return t.draw(.element(of: texts.compactMap { DateTime($0) }))
  }

  func distance(_ t: Trial) -> Int64 {
    t.draw(
      .frequency([
        (6, .int(0...3).map { $0 * 1_000 }), (1, .int(Rules.meters)),
        (1, cast.isHostile ? .element(of: [-1, 1 << 53, .max, .min]) : .just(500)),
      ]))
  }

  func shared(_ t: Trial) -> WorkoutShared {
    WorkoutShared(
      workout: cast.newWorkout(t), owner: cast.user(t), localID: usually(t, .id), date: date(t),
      workoutType: usually(t, .element(of: ["erg", "ride", "klettern 🧗"])),
      totalTime: usually(t, .duration), totalDistance: usually(t, Generator { distance($0) }),
      averageSplit: usually(t, .duration),
      intensityZone: t.draw(.optional(texts)), isErgTest: t.draw(.bool),
      text: t.draw(.optional(texts)), session: t.draw(.optional(.id)),
      climb: t.draw(.optional(.id)), audience: t.draw(.optional(.element(of: Audience.allCases))))
  }

  /// Now and then nothing.
  func usually<V: Sendable>(_ t: Trial, _ value: Generator<V>) -> V? {
    t.draw(.frequency([(9, value.map { $0 }), (1, .just(nil))]))
  }

  func workoutEdited(_ t: Trial) -> WorkoutEdited {
    WorkoutEdited(
      workout: cast.workout(t), date: t.draw(.bool) ? date(t) : nil,
      workoutType: patch(t, .element(of: ["erg", "ride"])), totalTime: patch(t, .duration),
      totalDistance: patch(t, Generator { distance($0) }), averageSplit: patch(t, .duration),
      intensityZone: patch(t), isErgTest: t.draw(.optional(.bool)), text: patch(t),
      session: patch(t), climb: patch(t), audience: patch(t, .element(of: Audience.allCases)))
  }

  func detail(_ t: Trial) -> WorkoutDetailAttached {
    let share = Generator<Double>.double(0...1)
    let interval = Generator<Interval> { t in
      Interval(
        orderIndex: t.draw(.int(0...9)), time: t.draw(.duration), meters: t.draw(.int(0...9_999)),
        splitPer500m: t.draw(.duration), strokeRate: t.draw(.int(0...60)),
        heartRate: t.draw(.optional(.int(0...220))), timeConfidence: t.draw(share),
        metersConfidence: t.draw(share), splitConfidence: t.draw(share),
        rateConfidence: t.draw(share), heartRateConfidence: t.draw(.optional(share)))
    }
    return WorkoutDetailAttached(
      workout: cast.workout(t), intervals: t.draw(.array(of: interval, 0...3)),
      image: t.draw(.optional(texts)), ocrConfidence: t.draw(.optional(share)),
      wasManuallyEdited: t.draw(.bool))
  }

  func weeklyGoal(_ t: Trial) -> WeeklyGoalSet {
    WeeklyGoalSet(user: cast.user(t), meters: t.draw(.element(of: [0, 20_000, 50_000])))
  }

  func premium(_ t: Trial) -> PremiumRecorded {
    let expires = Timestamp(milliseconds: 1_767_225_600_000 + t.draw(.int(0...9)) * 86_400_000)
    return PremiumRecorded(
      user: cast.user(t), product: t.draw(.element(of: ["plus", "coach"])),
      expires: DateTime(expires), transaction: t.draw(.optional(.id)))
  }
}
