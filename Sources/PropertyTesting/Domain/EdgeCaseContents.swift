import Aggregates
import Events
import HistoryGeneration

/// Texts, numbers and dates that often break programs. Shrinking replaces them by simple ones.
///
/// In a history by `hostileHistory`, some of these values break the app's rules.
struct EdgeCaseContents: EventContents {
  let texts: Generator<String>
  let rules: Rules
  let isHostile: Bool
  let patchWeights: [UInt64] = [4, 1, 2]

  func text(_ kind: ContentText, _ t: Trial) -> String {
    switch kind {
    case .displayName, .gym, .groupName: t.draw(nameTexts)
    case .boulderScale: t.draw(scale(rules.boulderGradeScales))
    case .routeScale: t.draw(scale(rules.routeGradeScales))
    case .localID, .session, .climb: t.draw(.id)
    default: t.draw(texts)
    }
  }

  func isThere(_ kind: ContentText, _ t: Trial) -> Bool {
    if kind == .localID {
      t.draw(.frequency([(9, .just(true)), (1, .just(false))]))
    } else {
      t.draw(.bool)
    }
  }

  func handle(_ user: UserID, _ t: Trial) -> String? {
    mayLackHandle && t.draw(.bool) ? nil : someHandle(user, t)
  }

  private var mayLackHandle: Bool { isHostile || !rules.handleRequired }

  /// Draws a handle: usually the user's own, sometimes one that equals another's except for case.
  private func someHandle(_ user: UserID, _ t: Trial) -> String {
    let own = Generator<String>.just("user\(user.index + 1)")
    return t.draw(
      .frequency([
        (6, own), (1, .handle(rules)), (isHostile ? 6 : 1, .element(of: ["taken", "Taken"])),
        (1, isHostile ? .invalidHandle(rules) : own),
      ]))
  }

  func changedHandle(_ user: UserID, _ moment: ContentMoment, _ t: Trial) -> Patch<String> {
    if !t.draw(.bool) { return .keep }
    return mayLackHandle && t.draw(.bool) ? .clear : .set(someHandle(user, t))
  }

  /// A generator of names. In a hostile history, a name may have characters that the rules forbid.
  private var nameTexts: Generator<String> {
    if isHostile { return texts }
    return texts.map { text in
      if Rules.isName(text) { return text }
      var scalars = String.UnicodeScalarView()
      for scalar in text.unicodeScalars where Rules.isName("a\(scalar)") { scalars.append(scalar) }
      return String(scalars)
    }
  }

  /// Returns a generator of the given words, which the rules allow. It draws any text if there are
  /// no words, or in a hostile history.
  private func scale(_ words: [String]) -> Generator<String> {
    isHostile || words.isEmpty ? texts : .element(of: words)
  }

  func changedPrivacy(_ t: Trial) -> Bool? { t.draw(.element(of: [nil, false, false, true])) }

  func day(_ t: Trial) -> String { t.draw(.element(of: ["2001-02-28", "2024-02-29"])) }

  /// Draws an edge case of a date: for example one just before or after the end of a month or of
  /// 1969, or with an offset. Hostile histories have future dates too.
  func date(_ moment: ContentMoment, _ t: Trial) -> DateTime {
    let ends =
      isHostile
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

  func effort(_ t: Trial) -> Effort {
    Effort(
      type: usually(t, .element(of: ["erg", "ride", "klettern 🧗"])), time: usually(t, .duration),
      distance: usually(t, distance), split: usually(t, .duration))
  }

  private var distance: Generator<Int64> {
    .frequency([
      (6, .int(0...3).map { $0 * 1_000 }), (1, .int(Rules.meters)),
      (1, isHostile ? .element(of: [-1, 1 << 53, .max, .min]) : .just(500)),
    ])
  }

  /// Draws a value, or nil in one of 10 cases.
  private func usually<V: Sendable>(_ t: Trial, _ value: Generator<V>) -> V? {
    t.draw(.frequency([(9, value.map { $0 }), (1, .just(nil))]))
  }

  func audience(_ t: Trial) -> Audience? {
    t.draw(.optional(.element(of: Audience.allCases)))
  }

  func detail(_ workout: WorkoutID, _ t: Trial) -> WorkoutDetailAttached {
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
      workout: workout, intervals: t.draw(.array(of: interval, 0...3)),
      image: t.draw(.optional(texts)), ocrConfidence: t.draw(.optional(share)),
      wasManuallyEdited: t.draw(.bool))
  }

  func sport(_ t: Trial) -> SportID {
    t.draw(.element(of: rules.sports.prefix(3).compactMap { try? SportID($0.id) }))
  }

  func goal(_ t: Trial) -> Int64 { t.draw(.element(of: [0, 20_000, 50_000])) }

  func premium(_ user: UserID, _ moment: ContentMoment, _ t: Trial) -> PremiumRecorded {
    let expires = Timestamp(milliseconds: 1_767_225_600_000 + t.draw(.int(0...9)) * 86_400_000)
    return PremiumRecorded(
      user: user, product: t.draw(.element(of: ["plus", "coach"])),
      expires: DateTime(expires), transaction: t.draw(.optional(.id)))
  }

  func photo(_ user: UserID, _ moment: ContentMoment, _ t: Trial) -> ProfilePhotoSet {
    let path = "photos/\(t.draw(Generator<Int>.int(1...9)))"
    return ProfilePhotoSet(
      user: user, url: path, path: path, bytes: t.draw(.int(1...5_242_880)),
      contentType: t.draw(.element(of: ["image/jpeg", "image/png"])))
  }

  func location(_ user: UserID, _ t: Trial) -> BaseLocationSet {
    BaseLocationSet(
      user: user, latitude: t.draw(.double(-90...90)), longitude: t.draw(.double(-180...180)),
      name: t.draw(.optional(nameTexts)))
  }

  /// Draws the id of the last event that a user has read. It has one of four fixed times, which may
  /// be later than the history's events, or no time.
  func readUpTo(_ moment: ContentMoment, _ t: Trial) -> EventID {
    let time: Int64 =
      1_767_225_600_000 + t.draw(.element(of: [0, 1_001, 86_400_000, 9_999_999_999]))
    let id = EventID(time: Timestamp(milliseconds: time), random: (0, 0))
    return t.draw(.frequency([(9, .just(id)), (1, .just(EventID(high: 0x4000, low: 0)))]))
  }
}
