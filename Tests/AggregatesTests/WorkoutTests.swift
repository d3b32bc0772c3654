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
      isErgTest: false, text: text)
  }
  private var shared: Event { .workoutShared(workout()) }
  private let removed = Event.workoutRemoved(WorkoutReference(workout: w1))

  @Test("Sharing needs a profile, and only the owner shares")
  func share() {
    Given(WorkoutDecider.self).when(.share(workout(), ownerExists: true), by: alice).then(shared)
    Given(WorkoutDecider.self).when(.share(workout(), ownerExists: false), by: alice)
      .thenRefused(.profileNotFound)
    Given(WorkoutDecider.self).when(.share(workout(), ownerExists: true), by: bob)
      .thenRefused(.notAuthorized)
  }

  @Test("Sharing again edits what differs, and appends nothing if nothing does")
  func again() {
    let given = Given(WorkoutDecider.self, shared)
    given.when(.share(workout(), ownerExists: true), by: alice).thenNothing()
    given.when(.share(workout(text: "new"), ownerExists: true), by: alice)
      .then(.workoutEdited(WorkoutEdited(workout: w1, text: .set("new"))))
  }

  @Test("An edit records only what changes, and null clears")
  func edit() {
    let edit = WorkoutEdited(workout: w1, totalDistance: 2_000, text: .set("a"))
    Given(WorkoutDecider.self, shared).when(.edit(edit), by: alice)
      .then(.workoutEdited(WorkoutEdited(workout: w1, text: .set("a"))))
    let clear = WorkoutEdited(workout: w1, text: .clear)
    Given(WorkoutDecider.self, shared).when(.edit(clear), by: alice).thenNothing()
    Given(WorkoutDecider.self, .workoutShared(workout(text: "a")))
      .when(.edit(clear), by: alice).then(.workoutEdited(clear))
  }

  @Test("Others may not edit or remove it, and what is removed is not found")
  func authority() {
    let given = Given(WorkoutDecider.self, shared)
    let edit = WorkoutEdited(workout: w1, text: .set("a"))
    given.when(.edit(edit), by: bob).thenRefused(.notAuthorized)
    given.when(.remove(w1), by: bob).thenRefused(.notAuthorized)
    given.when(.remove(w1), by: alice).then(removed)
    Given(WorkoutDecider.self, shared, removed).when(.remove(w1), by: alice)
      .thenRefused(.workoutNotFound)
    Given(WorkoutDecider.self).when(.edit(edit), by: alice).thenRefused(.workoutNotFound)
  }

  @Test(
    "Distances are not negative and times have their form",
    arguments: [
      ("07:00.0", true), ("1:07:00.0", true), ("10:07:00.9", true), ("7:00.0", false),
      ("07:60.0", false), ("60:00.0", false), ("07:00", false), ("07:00.00", false), ("", false),
      ("1:7:00.0", false), ("x:07:00.0", false), (":07:00.0", false),
    ])
  func form(time: String, isValid: Bool) {
    let when = Given(WorkoutDecider.self)
      .when(.share(workout(time: time), ownerExists: true), by: alice)
    if isValid {
      when.then(.workoutShared(workout(time: time)))
    } else {
      when.thenRefused(.invalidWorkout(field: "totalTime"))
    }
    Given(WorkoutDecider.self).when(.share(workout(meters: -1), ownerExists: true), by: alice)
      .thenRefused(.invalidWorkout(field: "totalDistance"))
  }

  @Test("Confidences are 0 to 1")
  func confidences() {
    for (confidence, isValid) in [(0.0, true), (1, true), (-0.01, false), (1.01, false)] {
      let detail = WorkoutDetailAttached(
        workout: w1, intervals: [], ocrConfidence: confidence, wasManuallyEdited: false)
      let when = Given(WorkoutDecider.self, shared).when(.attach(detail), by: alice)
      if isValid {
        when.then(.workoutDetailAttached(detail))
      } else {
        when.thenRefused(.invalidWorkout(field: "ocrConfidence"))
      }
    }
  }
}

@Suite struct ChupTests {
  private func given(_ big: Bool) -> Event {
    .chupGiven(ChupGiven(workout: w1, user: bob, big: big))
  }
  private let withdrawn = Event.chupWithdrawn(ChupWithdrawn(workout: w1, user: bob))
  private func command(
    _ action: ChupDecider.Command.Action, _ sight: Sight = .visible
  ) -> ChupDecider.Command { .init(action, w1, sight) }

  @Test("Toggling gives and withdraws; a big chup on either makes it big")
  func states() {
    Given(ChupDecider.self).when(command(.toggle), by: bob).then(given(false))
    Given(ChupDecider.self, given(false)).when(command(.toggle), by: bob).then(withdrawn)
    Given(ChupDecider.self, given(true)).when(command(.toggle), by: bob).then(withdrawn)
    Given(ChupDecider.self).when(command(.giveBig), by: bob).then(given(true))
    Given(ChupDecider.self, given(false)).when(command(.giveBig), by: bob).then(given(true))
    Given(ChupDecider.self, given(true)).when(command(.giveBig), by: bob).thenNothing()
  }

  @Test("Only who sees an existing workout may chup")
  func sight() {
    for action: ChupDecider.Command.Action in [.toggle, .giveBig] {
      Given(ChupDecider.self).when(command(action, .nothing), by: bob)
        .thenRefused(.workoutNotFound)
      Given(ChupDecider.self).when(command(action, .hidden), by: bob).thenRefused(.notVisible)
    }
  }
}

@Suite struct CommentTests {
  private func comment(_ text: String) -> CommentPosted {
    CommentPosted(comment: c1, workout: w1, user: bob, text: text)
  }
  private func posted(_ text: String) -> Event { .commentPosted(comment(text)) }
  private let removed = Event.commentRemoved(CommentReference(comment: c1))

  @Test("A comment is trimmed, not empty and at most 1,000 characters")
  func text() {
    let given = Given(CommentDecider.self)
    given.when(.post(comment("  hi\n"), .visible, replyExists: true), by: bob).then(posted("hi"))
    given.when(.post(comment(" \n\t"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentEmpty)
    let long = String(repeating: "👨‍👩‍👧‍👦", count: 1_000)
    given.when(.post(comment(long), .visible, replyExists: true), by: bob).then(posted(long))
    given.when(.post(comment(long + "x"), .visible, replyExists: true), by: bob)
      .thenRefused(.commentTooLong(limit: 1_000, actual: 1_001))
  }

  @Test("Only who sees the workout comments, and a reply needs its comment")
  func facts() {
    let given = Given(CommentDecider.self)
    given.when(.post(comment("x"), .nothing, replyExists: true), by: bob)
      .thenRefused(.workoutNotFound)
    given.when(.post(comment("x"), .hidden, replyExists: true), by: bob).thenRefused(.notVisible)
    given.when(.post(comment("x"), .visible, replyExists: false), by: bob)
      .thenRefused(.commentNotFound)
  }

  @Test("The author edits; the author or the workout's owner removes; once")
  func authority() {
    let given = Given(CommentDecider.self, posted("a"))
    given.when(.edit(c1, text: "b", .visible), by: bob)
      .then(.commentEdited(CommentEdited(comment: c1, text: "b")))
    given.when(.edit(c1, text: " a ", .visible), by: bob).thenNothing()
    given.when(.edit(c1, text: "b", .visible), by: alice).thenRefused(.notAuthorized)
    given.when(.remove(c1, workoutOwner: alice), by: alice).then(removed)
    given.when(.remove(c1, workoutOwner: alice), by: bob).then(removed)
    given.when(.remove(c1, workoutOwner: alice), by: carol).thenRefused(.notAuthorized)
    Given(CommentDecider.self, posted("a"), removed)
      .when(.remove(c1, workoutOwner: alice), by: bob).thenRefused(.commentNotFound)
  }

  @Test("A heart is toggled by who sees the comment")
  func heart() {
    let heart = Heart(comment: c1, user: alice)
    func command(_ exists: Bool, _ sight: Sight) -> HeartDecider.Command {
      .init(c1, commentExists: exists, sight)
    }
    Given(HeartDecider.self).when(command(true, .visible), by: alice).then(.commentHearted(heart))
    Given(HeartDecider.self, .commentHearted(heart)).when(command(true, .visible), by: alice)
      .then(.commentUnhearted(heart))
    Given(HeartDecider.self).when(command(false, .visible), by: alice)
      .thenRefused(.commentNotFound)
    Given(HeartDecider.self).when(command(true, .hidden), by: alice).thenRefused(.notVisible)
  }
}
