import Aggregates
import Events
import Testing

@Suite struct WorkoutTests {
  private func workout(
    owner: UserID = alice, text: String? = nil, time: String = "07:00.0", meters: Int64 = 2_000
  ) -> WorkoutShared {
    WorkoutShared(
      workout: w1, owner: owner, localID: "l1", date: DateTime("2026-01-01T10:00:00Z")!,
      workoutType: "2000m", totalTime: time, totalDistance: meters, averageSplit: "01:45.0",
      isErgTest: false, text: text, audience: .followers)
  }
  private var shared: Event { .workout(.shared(workout())) }
  private let removed = Event.workout(.removed(WorkoutReference(workout: w1)))

  @Test("Sharing needs a profile, and only the owner shares")
  func share() {
    Given(WorkoutDecider.self).when(.share(workout(), hasProfile: true), by: alice).then(shared)
    Given(WorkoutDecider.self).when(.share(workout(), hasProfile: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(WorkoutDecider.self).when(.share(workout(), hasProfile: true), by: bob)
      .thenRefused(.notAuthorized)
  }

  @Test("Sharing again edits the differences, and appends nothing without any")
  func again() {
    let given = Given(WorkoutDecider.self, shared)
    given.when(.share(workout(), hasProfile: true), by: alice).thenNothing()
    given.when(.share(workout(text: "new"), hasProfile: true), by: alice)
      .then(.workout(.edited(WorkoutEdited(workout: w1, text: .set("new")))))
  }

  @Test("Sharing again under another id still edits the workout with the same local id")
  func otherID() {
    var again = workout(text: "new")
    again.workout = WorkoutID(index: 7)
    Given(WorkoutDecider.self, shared).when(.share(again, hasProfile: true), by: alice)
      .then(.workout(.edited(WorkoutEdited(workout: w1, text: .set("new")))))
  }

  @Test("An id of another workout, present or removed, is refused")
  func takenID() {
    var other = workout()
    other.localID = "l2"
    Given(WorkoutDecider.self, shared).when(.share(other, hasProfile: true), by: alice)
      .thenRefused(.invalidWorkout(field: "workout"))
    Given(WorkoutDecider.self, shared)
      .when(.share(workout(owner: bob), hasProfile: true), by: bob).thenRefused(.notAuthorized)
    Given(WorkoutDecider.self, shared, removed)
      .when(.share(other, hasProfile: true), by: alice).thenRefused(.workoutNotFound)
  }

  @Test("Without a profile or a caller nothing can be done to a workout")
  func actors() {
    let detail = WorkoutDetailAttached(workout: w1, intervals: [], wasManuallyEdited: true)
    let edit = WorkoutEdited(workout: w1, text: .set("a"))
    func commands(_ hasProfile: Bool) -> [WorkoutDecider.Command] {
      [
        .share(workout(), hasProfile: hasProfile), .edit(edit, hasProfile: hasProfile),
        .attach(detail, hasProfile: hasProfile), .remove(w1, hasProfile: hasProfile),
      ]
    }
    let given = Given(WorkoutDecider.self, shared)
    for command in commands(false) { given.when(command, by: alice).thenRefused(.profileNotFound) }
    for command in commands(true) { given.when(command, by: nil).thenRefused(.unauthorized) }
    given.when(.attach(detail, hasProfile: true), by: bob).thenRefused(.notAuthorized)
    Given(WorkoutDecider.self, shared, .workout(.detailAttached(detail)))
      .when(.attach(detail, hasProfile: true), by: alice).thenNothing()
  }

  @Test("Every field of an interval must be within its bounds")
  func intervals() {
    let good = Interval(
      orderIndex: 0, time: "01:45.0", meters: 500, splitPer500m: "01:45.0", strokeRate: 28,
      heartRate: 160, timeConfidence: 1, metersConfidence: 0, splitConfidence: 0.5,
      rateConfidence: 1, heartRateConfidence: 1)
    func refused(_ field: StaticString, _ change: (inout Interval) -> Void) {
      var bad = good
      change(&bad)
      let detail = WorkoutDetailAttached(
        workout: w1, intervals: [good, bad], wasManuallyEdited: false)
      Given(WorkoutDecider.self, shared).when(.attach(detail, hasProfile: true), by: alice)
        .thenRefused(.invalidWorkout(field: .init(stringLiteral: field)))
    }
    refused("intervals.time") { $0.time = "1:4" }
    refused("intervals.meters") { $0.meters = -1 }
    refused("intervals.splitPer500m") { $0.splitPer500m = "" }
    refused("intervals.strokeRate") { $0.strokeRate = -1 }
    refused("intervals.heartRate") { $0.heartRate = -1 }
    refused("intervals.timeConfidence") { $0.timeConfidence = 1.1 }
    refused("intervals.metersConfidence") { $0.metersConfidence = -0.1 }
    refused("intervals.splitConfidence") { $0.splitConfidence = .nan }
    refused("intervals.rateConfidence") { $0.rateConfidence = .infinity }
    refused("intervals.heartRateConfidence") { $0.heartRateConfidence = 2 }
  }

  @Test("An edit records only changes, and null clears")
  func edit() {
    let edit = WorkoutEdited(workout: w1, totalDistance: .set(2_000), text: .set("a"))
    Given(WorkoutDecider.self, shared).when(.edit(edit, hasProfile: true), by: alice)
      .then(.workout(.edited(WorkoutEdited(workout: w1, text: .set("a")))))
    let clear = WorkoutEdited(workout: w1, text: .clear)
    Given(WorkoutDecider.self, shared).when(.edit(clear, hasProfile: true), by: alice).thenNothing()
    Given(WorkoutDecider.self, .workout(.shared(workout(text: "a"))))
      .when(.edit(clear, hasProfile: true), by: alice).then(.workout(.edited(clear)))
  }

  @Test("Others cannot edit or remove a workout, and a removed one is not found")
  func authority() {
    let given = Given(WorkoutDecider.self, shared)
    let edit = WorkoutEdited(workout: w1, text: .set("a"))
    given.when(.edit(edit, hasProfile: true), by: bob).thenRefused(.notAuthorized)
    given.when(.remove(w1, hasProfile: true), by: bob).thenRefused(.notAuthorized)
    given.when(.remove(w1, hasProfile: true), by: alice).then(removed)
    Given(WorkoutDecider.self, shared, removed).when(.remove(w1, hasProfile: true), by: alice)
      .thenRefused(.workoutNotFound)
    Given(WorkoutDecider.self).when(.edit(edit, hasProfile: true), by: alice).thenRefused(
      .workoutNotFound)
  }

  @Test(
    "Times may lack tenths or a digit of the minutes, and are stored in one form",
    arguments: [
      ("07:00.0", "07:00.0"), ("1:07:00.0", "1:07:00.0"), ("10:07:00.9", "10:07:00.9"),
      ("7:00.0", "07:00.0"), ("6:30.5", "06:30.5"), ("20:00", "20:00.0"), ("7:00", "07:00.0"),
      ("1:02:03", "1:02:03.0"), ("0:00", "00:00.0"), ("999:59:59", "999:59:59.0"),
      ("07:60.0", nil), ("60:00.0", nil), ("60:00", nil), ("07:00.00", nil), ("", nil),
      ("1:7:00.0", nil), ("x:07:00.0", nil), (":07:00.0", nil), ("1000:00:00", nil), ("7:0", nil),
      ("7", nil), (":07", nil), ("07:", nil), ("7:00.", nil), ("7:00.x", nil), ("7:00,0", nil),
      (" 7:00", nil), ("-7:00", nil), ("1:1:1:1", nil), ("٧:٠٠", nil),
    ] as [(String, String?)])
  func form(time: String, stored: String?) {
    let when = Given(WorkoutDecider.self)
      .when(.share(workout(time: time), hasProfile: true), by: alice)
    let edit = WorkoutEdited(workout: w1, totalTime: .set(time), averageSplit: .set(time))
    let change = Given(WorkoutDecider.self, .workout(.shared(workout(time: "08:08.8"))))
      .when(.edit(edit, hasProfile: true), by: alice)
    var interval = Interval(
      orderIndex: 0, time: time, meters: 5, splitPer500m: time, strokeRate: 28,
      timeConfidence: 1, metersConfidence: 1, splitConfidence: 1, rateConfidence: 1)
    let detail = WorkoutDetailAttached(
      workout: w1, intervals: [interval], wasManuallyEdited: false)
    let attach = Given(WorkoutDecider.self, shared)
      .when(.attach(detail, hasProfile: true), by: alice)
    guard let stored else {
      when.thenRefused(.invalidWorkout(field: "totalTime"))
      change.thenRefused(.invalidWorkout(field: "totalTime"))
      attach.thenRefused(.invalidWorkout(field: "intervals.time"))
      return
    }
    when.then(.workout(.shared(workout(time: stored))))
    let changed = WorkoutEdited(
      workout: w1, totalTime: .set(stored), averageSplit: .set(stored))
    change.then(.workout(.edited(changed)))
    (interval.time, interval.splitPer500m) = (stored, stored)
    let attached = Event.workout(
      .detailAttached(
        WorkoutDetailAttached(workout: w1, intervals: [interval], wasManuallyEdited: false)))
    attach.then(attached)
    // The same detail again, in either form, changes nothing.
    Given(WorkoutDecider.self, shared, attached)
      .when(.attach(detail, hasProfile: true), by: alice).thenNothing()
    Given(WorkoutDecider.self, .workout(.shared(workout(time: stored))))
      .when(.share(workout(time: time), hasProfile: true), by: alice).thenNothing()
  }

  @Test(
    "An item and an interval have 0 to 10,000,000 metres",
    arguments: [
      (-1, false), (0, true), (10_000_000, true), (10_000_001, false), (.max, false), (.min, false),
    ] as [(Int64, Bool)])
  func distance(meters: Int64, isValid: Bool) {
    let field = DomainError.WorkoutField("totalDistance")
    let share = Given(WorkoutDecider.self)
      .when(.share(workout(meters: meters), hasProfile: true), by: alice)
    let edit = WorkoutEdited(workout: w1, totalDistance: .set(meters))
    let change = Given(WorkoutDecider.self, shared).when(.edit(edit, hasProfile: true), by: alice)
    let interval = Interval(
      orderIndex: 0, time: "01:45.0", meters: meters, splitPer500m: "01:45.0", strokeRate: 28,
      timeConfidence: 1, metersConfidence: 1, splitConfidence: 1, rateConfidence: 1)
    let detail = WorkoutDetailAttached(
      workout: w1, intervals: [interval], wasManuallyEdited: false)
    let attach = Given(WorkoutDecider.self, shared)
      .when(.attach(detail, hasProfile: true), by: alice)
    if isValid {
      share.then(.workout(.shared(workout(meters: meters))))
      change.then(.workout(.edited(edit)))
      attach.then(.workout(.detailAttached(detail)))
    } else {
      share.thenRefused(.invalidWorkout(field: field))
      change.thenRefused(.invalidWorkout(field: field))
      attach.thenRefused(.invalidWorkout(field: "intervals.meters"))
    }
  }

  @Test(
    "A workout's date is at most two days after the time of recording",
    arguments: [
      ("2026-01-03T09:00:00Z", true), ("2026-01-03T10:00:00.000+01:00", true),
      ("2026-01-03T09:00:00.001Z", false), ("9999-12-31T23:59:59Z", false),
      ("0000-01-01T00:00:00Z", true),
    ])
  func date(text: String, isValid: Bool) throws {
    let now = try #require(DateTime("2026-01-01T09:00:00Z")).instant
    var item = workout()
    item.date = try #require(DateTime(text))
    let edit = WorkoutEdited(workout: w1, date: item.date)
    let share = Given(WorkoutDecider.self)
      .when(.share(item, hasProfile: true, at: now), by: alice)
    let change = Given(WorkoutDecider.self, shared)
      .when(.edit(edit, hasProfile: true, at: now), by: alice)
    if isValid {
      share.then(.workout(.shared(item)))
      change.then(.workout(.edited(edit)))
    } else {
      share.thenRefused(.invalidWorkout(field: "date"))
      change.thenRefused(.invalidWorkout(field: "date"))
      // An import can bring such a date: the owner may still edit something else.
      let text = WorkoutEdited(workout: w1, text: .set("a"))
      Given(WorkoutDecider.self, .workout(.shared(item)))
        .when(.edit(text, hasProfile: true, at: now), by: alice).then(.workout(.edited(text)))
    }
  }

  @Test("An invalid value from an older log does not stop the owner from editing others")
  func older() {
    let given = Given(WorkoutDecider.self, .workout(.shared(workout(time: "7:00", meters: .max))))
    let edit = WorkoutEdited(workout: w1, text: .set("a"))
    given.when(.edit(edit, hasProfile: true), by: alice).then(.workout(.edited(edit)))
    given.when(.share(workout(time: "7:00", meters: .max), hasProfile: true), by: alice)
      .thenNothing()
    let worse = WorkoutEdited(workout: w1, totalDistance: .set(.max - 1))
    given.when(.edit(worse, hasProfile: true), by: alice)
      .thenRefused(.invalidWorkout(field: "totalDistance"))
    let right = WorkoutEdited(workout: w1, totalDistance: .set(5))
    given.when(.edit(right, hasProfile: true), by: alice).then(.workout(.edited(right)))
  }

  @Test("Confidences are 0 to 1")
  func confidences() {
    for (confidence, isValid) in [(0.0, true), (1, true), (-0.01, false), (1.01, false)] {
      let detail = WorkoutDetailAttached(
        workout: w1, intervals: [], ocrConfidence: confidence, wasManuallyEdited: false)
      let when = Given(WorkoutDecider.self, shared).when(
        .attach(detail, hasProfile: true), by: alice)
      if isValid {
        when.then(.workout(.detailAttached(detail)))
      } else {
        when.thenRefused(.invalidWorkout(field: "ocrConfidence"))
      }
    }
  }
}

@Suite struct ChupTests {
  private func given(_ big: Bool) -> Event {
    .chup(.given(ChupGiven(workout: w1, user: bob, big: big)))
  }
  private let withdrawn = Event.chup(.withdrawn(ChupWithdrawn(workout: w1, user: bob)))
  private func command(
    _ action: ChupDecider.Command.Action, _ visibility: Visibility = .visible
  ) -> ChupDecider.Command { .init(action, w1, visibility) }

  @Test("A big chup replaces none or a plain one")
  func states() {
    Given(ChupDecider.self).when(command(.giveBig), by: bob).then(given(true))
    Given(ChupDecider.self, given(false)).when(command(.giveBig), by: bob).then(given(true))
    Given(ChupDecider.self, given(true)).when(command(.giveBig), by: bob).thenNothing()
  }

  @Test("Giving a chup twice or withdrawing none changes nothing, and a big chup stays big")
  func explicit() {
    Given(ChupDecider.self).when(command(.give), by: bob).then(given(false))
    Given(ChupDecider.self, given(false)).when(command(.give), by: bob).thenNothing()
    Given(ChupDecider.self, given(true)).when(command(.give), by: bob).thenNothing()
    Given(ChupDecider.self).when(command(.withdraw), by: bob).thenNothing()
    for big in [false, true] {
      Given(ChupDecider.self, given(big)).when(command(.withdraw), by: bob).then(withdrawn)
    }
    Given(ChupDecider.self, given(true), withdrawn).when(command(.give), by: bob)
      .then(given(false))
  }

  @Test("Only users who see an existing workout can give a chup")
  func visibility() {
    for action: ChupDecider.Command.Action in [.give, .giveBig, .withdraw] {
      Given(ChupDecider.self).when(command(action), by: nil).thenRefused(.unauthorized)
      Given(ChupDecider.self).when(command(action, .noProfile), by: bob)
        .thenRefused(.profileNotFound)
      // A chup that does not exist can be withdrawn with any visibility.
      if action == .withdraw {
        Given(ChupDecider.self).when(command(action, .nothing), by: bob).thenNothing()
        Given(ChupDecider.self, given(true)).when(command(action, .hidden), by: bob)
          .then(withdrawn)
        continue
      }
      Given(ChupDecider.self).when(command(action, .nothing), by: bob)
        .thenRefused(.workoutNotFound)
      Given(ChupDecider.self).when(command(action, .hidden), by: bob).thenRefused(.notVisible)
    }
  }
}
