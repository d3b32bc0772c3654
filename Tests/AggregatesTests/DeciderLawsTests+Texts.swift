import Events
import PropertyTesting
import Testing

@testable import Aggregates

// The aggregates that hold texts.
extension DeciderLawsTests {
  @Test("A comment is posted once, edited by its author, and removed for good by author or owner")
  func comment() async throws {
    let texts = Generator<String>.frequency([
      (4, .text(1...6)), (2, .element(of: ["a", "é", "e\u{301}"])), (1, .just(" ")),
    ])
    let visibility = Generator<Visibility>.element(of: [
      .visible, .visible, .visible, .hidden, .nothing,
    ])
    try await Self.check(
      CommentDecider.self,
      covering: [
        "CommentPosted": 0.5, "CommentEdited": 0.2, "CommentRemoved": 0.15, "nothing": 0.02,
        "refused": 0.5,
      ],
      commands: Generator { t in
        let command = t.draw(
          Generator<CommentDecider.Command>.frequency([
            (
              4,
              Generator { t in
                .post(
                  CommentPosted(
                    comment: c1, workout: w1, user: t.draw(Self.people), text: t.draw(texts)),
                  t.draw(visibility), replyExists: t.draw(Self.often))
              }
            ), (4, Generator { t in .edit(c1, text: t.draw(texts), t.draw(visibility)) }),
            (
              1,
              Generator { t in
                .remove(
                  c1, t.draw(visibility), stands: t.draw(Self.often), mayRemove: t.draw(.bool))
              }
            ),
          ]))
        return (command, t.draw(Self.people))
      },
      types: [.commentPosted, .commentEdited, .commentRemoved],
      follows: { before, event, after, command in
        switch (before, event, after) {
        case (.none, .comment(.posted(let data)), .posted(let now)):
          data == now && !now.text.isEmpty && now.text.first?.isWhitespace == false
        case (.posted(let old), .comment(.edited(let data)), .posted(let now)):
          now.text == data.text && now.user == old.user && now.workout == old.workout
            && !data.text.utf8.elementsEqual(old.text.utf8)
        case (.posted, .comment(.removed(let data)), .removed): data.comment == c1
        default: false
        }
      },
      repeats: { command, again in
        if case .remove = command { return again == .failure(.commentNotFound) }
        return again == .success(nil)
      })
  }

  @Test("Only the owner shares, edits, details and removes a workout, and an edit has only changes")
  func workout() async throws {
    let owner = Generator<UserID>.frequency([(7, .just(alice)), (1, .just(bob))])
    let shared = Generator<WorkoutShared> { t in
      WorkoutShared(
        workout: w1, owner: t.draw(owner), localID: t.draw(.element(of: ["l", "l", "l", "m", ""])),
        date: DateTime("2026-01-01T00:00:00Z")!, workoutType: "erg",
        totalTime: t.draw(.element(of: ["00:00.0", "10:00.0", "60:00.0"])),
        totalDistance: t.draw(.int(-1...4)), averageSplit: "00:00.0", isErgTest: t.draw(.bool),
        text: t.draw(.optional(.text(0...2))),
        audience: t.draw(.optional(.element(of: Audience.allCases))))
    }
    let patch = Self.patch(.text(0...2))
    let edited = Generator<WorkoutEdited> { t in
      WorkoutEdited(
        workout: w1,
        date: t.draw(.bool) ? DateTime("2026-02-01T00:00:00Z") : nil,
        workoutType: t.draw(Self.patch(.element(of: ["erg", "run", ""]))),
        totalTime: t.draw(Self.patch(.element(of: ["00:00.0", "09:00.0", "9"]))),
        totalDistance: t.draw(Self.patch(.int(-1...4))),
        averageSplit: t.draw(Self.patch(.element(of: ["00:00.0", "01:30.0"]))),
        intensityZone: t.draw(patch), isErgTest: t.draw(.optional(.bool)), text: t.draw(patch),
        session: t.draw(patch), climb: t.draw(patch),
        audience: t.draw(Self.patch(.element(of: Audience.allCases))))
    }
    try await Self.check(
      WorkoutDecider.self,
      covering: [
        "WorkoutShared": 0.4, "WorkoutEdited": 0.3, "WorkoutDetailAttached": 0.2,
        "WorkoutRemoved": 0.2, "nothing": 0.02, "refused": 0.5,
      ],
      commands: Generator { t in
        let command = t.draw(
          Generator<WorkoutDecider.Command>.frequency([
            (4, Generator { t in .share(t.draw(shared), hasProfile: t.draw(Self.often)) }),
            (4, Generator { t in .edit(t.draw(edited), hasProfile: t.draw(Self.often)) }),
            (
              2,
              Generator { t in
                .attach(
                  WorkoutDetailAttached(
                    workout: w1, intervals: [], ocrConfidence: t.draw(.optional(.double(0...1.1))),
                    wasManuallyEdited: t.draw(.bool)), hasProfile: t.draw(Self.often))
              }
            ), (1, Generator { t in .remove(w1, hasProfile: t.draw(Self.often)) }),
          ]))
        return (command, t.draw(owner))
      },
      types: [.workoutShared, .workoutEdited, .workoutDetailAttached, .workoutRemoved],
      follows: { before, event, after, command in
        switch (before, event, after) {
        case (.none, .workout(.shared(let data)), .shared(let now, detail: nil)):
          data == now && Self.isValid(now) && now.audience != nil
        case (
          .shared(let old, let detail), .workout(.edited(let edit)), .shared(let now, let still)
        ):
          // Every member of the event changes a value, and the state is as the command wants it.
          detail == still && now.owner == old.owner && now.localID == old.localID
            && (edit.totalDistance == .keep || now.totalDistance != old.totalDistance)
            && edit.isErgTest != old.isErgTest && Self.isValid(now)
            && now == Self.wanted(of: command, on: old)
        case (
          .shared(let old, _), .workout(.detailAttached(let data)), .shared(let now, let detail)
        ):
          old == now && detail == data && (0...1).contains(data.ocrConfidence ?? 0)
        case (.shared(let old, _), .workout(.removed), .removed(let owner)): old.owner == owner
        default: false
        }
      },
      repeats: { command, again in
        if case .remove = command { return again == .failure(.workoutNotFound) }
        return again == .success(nil)
      })
  }

  private static func patch<V>(_ value: Generator<V>) -> Generator<Patch<V>> {
    .oneOf(.just(.keep), .just(.clear), value.map { .set($0) })
  }

  private static func isValid(_ workout: WorkoutShared) -> Bool {
    workout.totalDistance ?? 0 >= 0 && workout.localID != "" && workout.totalTime ?? "" < "60"
      && [workout.text, workout.session, workout.climb, workout.totalDistance.map { "\($0)" }]
        .contains { $0 != nil }
  }

  private static func wanted(of command: WorkoutDecider.Command, on old: WorkoutShared)
    -> WorkoutShared?
  {
    func patched<V>(_ patch: Patch<V>, _ old: V?) -> V? {
      switch patch {
      case .keep: old
      case .clear: nil
      case .set(let new): new
      }
    }
    switch command {
    case .share(var new, _, _):
      new.workout = old.workout
      new.audience = new.audience ?? old.audience
      return new
    case .edit(let edit, _, _):
      return WorkoutShared(
        workout: old.workout, owner: old.owner, localID: old.localID, date: edit.date ?? old.date,
        workoutType: patched(edit.workoutType, old.workoutType),
        totalTime: patched(edit.totalTime, old.totalTime),
        totalDistance: patched(edit.totalDistance, old.totalDistance),
        averageSplit: patched(edit.averageSplit, old.averageSplit),
        intensityZone: patched(edit.intensityZone, old.intensityZone),
        isErgTest: edit.isErgTest ?? old.isErgTest, text: patched(edit.text, old.text),
        session: patched(edit.session, old.session), climb: patched(edit.climb, old.climb),
        // A cleared audience is that of the rules.
        audience: patched(edit.audience, old.audience) ?? .followers)
    case .attach, .remove: return nil
    }
  }

  @Test("A profile is created once, changed only by its user, and deleted for good")
  func profile() async throws {
    let user = Generator<UserID>.frequency([(9, .just(alice)), (1, .just(bob))])
    let name = Generator<String?>.optional(
      .frequency([(6, .text(0...4)), (1, .just(String(repeating: "x", count: 51)))]))
    let patch = Self.patch(.text(0...2))
    let handle = Generator<String>.frequency([(6, .handle()), (1, .invalidHandle())])
    typealias Command = ProfileDecider.Command
    let commands: [(weight: Int, generator: Generator<Command>)] = [
      (
        4,
        Generator { t in
          .create(
            ProfileCreated(
              user: t.draw(user), handle: t.draw(handle), displayName: t.draw(name),
              isPublic: t.draw(.bool)), handleIsFree: t.draw(Self.often))
        }
      ),
      (
        4,
        Generator { t in
          .update(
            ProfileEdited(
              user: t.draw(user), handle: t.draw(Self.patch(handle)), displayName: t.draw(patch),
              bio: t.draw(patch), isPublic: t.draw(.optional(.bool))),
            handleIsFree: t.draw(Self.often))
        }
      ),
      (
        2,
        Generator { t in
          .setLocation(
            BaseLocationSet(
              user: t.draw(user), latitude: t.draw(.double(-91...90)), longitude: 0, name: nil))
        }
      ), (1, Generator { t in .clearLocation(t.draw(user)) }),
      (
        2,
        Generator { t in
          .setSport(
            SportSet(
              user: t.draw(user), sport: try! SportID(t.draw(.element(of: ["ski", "chess"]))),
              level: t.draw(.element(of: SkillLevel.allCases)), isMentor: t.draw(.bool)))
        }
      ),
      (
        1,
        Generator { t in .removeSport(SportRemoved(user: t.draw(user), sport: try! SportID("ski")))
        }
      ),
      (1, Generator { t in .logSend(SendLogged(user: t.draw(user), climb: "c")) }),
      (
        1,
        Generator { t in
          .setWeeklyGoal(
            WeeklyGoalSet(user: t.draw(user), meters: t.draw(.element(of: [-1, 0, 5, 6]))))
        }
      ),
      (
        1,
        Generator { t in
          .recordPremium(
            PremiumRecorded(
              user: t.draw(user), product: t.draw(.element(of: ["plus", "coach"])),
              expires: DateTime(.epoch), transaction: t.draw(.optional(.just("t")))))
        }
      ),
      (1, Generator { t in .delete(t.draw(user), ownsGroups: false) }),
    ]
    try await Self.checkProfile(.frequency(commands))
  }

  private static func checkProfile(_ commands: Generator<ProfileDecider.Command>) async throws {
    try await PropertyTesting.check(
      runs: 400,
      covering: ["ProfileEdited": 0.25, "SportSet": 0.15, "AccountDeleted": 0.2, "nothing": 0.2]
    ) { t in
      var state = ProfileDecider.initial
      var wasDeleted = false
      t.times(1...30) {
        let command = t.draw(commands, "alice")
        let result = decide(ProfileDecider.self, command, state, alice)
        guard case .success(let event?) = result else {
          t.label(result == .success(nil) ? "nothing" : "refused")
          if case .success = result { #expect(state.account == .open) }
          return
        }
        t.label(event.type.name)
        #expect(!wasDeleted, "an account does not come back")
        let isCreation = event.type == .profileCreated
        #expect(isCreation == (state.account == .none))
        let before = state
        ProfileDecider.evolve(&state, event)
        // Each send counts, though no decision needs it.
        let isChanged = !"\(state)".utf8.elementsEqual("\(before)".utf8)
        #expect(isChanged == (event.type != .sendLogged))
        #expect(
          Rules.climb.problem(withHandle: state.handle ?? "") == nil
            || event.type == .accountDeleted)
        #expect((state.displayName?.count ?? 0) <= 50 && state.displayName != "")
        let ends = [state.displayName?.first, state.displayName?.last]
        #expect(!ends.contains { $0?.isWhitespace == true })
        #expect(abs(state.location?.latitude ?? 0) <= 90)
        #expect(state.sports.allSatisfy { $0.sport.name == "ski" } && state.sports.count <= 1)
        wasDeleted = event.type == .accountDeleted
        switch (event.type, decide(ProfileDecider.self, command, state, alice)) {
        case (.sendLogged, .success(.some)), (.profileCreated, .failure(.profileExists)),
          (.profileCreated, .success(nil)), (.accountDeleted, .failure(.profileNotFound)):
          break
        case (_, let again): #expect(again == .success(nil), "again")
        }
      }
    }
  }
}
