import Aggregates
import Events
import FaultTesting
import PropertyTesting
import Testing

@testable import UseCases

@Suite struct SocietyTests {
  /// The domain's reasons to refuse each of a history's events in a state.
  private func reasons(_ society: AggregateStates, _ history: GeneratedHistory) -> [String] {
    history.entries.map {
      "\(String(describing: society.reason($0.event, EventActor($0.actor), at: $0.time, .climb)))"
    }
  }

  @Test("Undoing an event restores every decision")
  func takingBack() async throws {
    try await check(runs: Sweep.size(40, 120, 4_000)) { t in
      let history = t.draw(.hostileHistory(max: 24))
      var society = AggregateStates()
      // Events about reading have no undo record, because no decision depends on them.
      var before: [(AggregateStates.UndoRecord?, [String])] = []
      for entry in history.entries {
        let undoRecord = society.undoRecord(before: entry.event)
        before.append((undoRecord, reasons(society, history)))
        society.apply(entry.event, at: entry.time)
      }
      for (undoRecord, reasons) in before.reversed() {
        if let undoRecord { society.restore(undoRecord) }
        #expect(self.reasons(society, history) == reasons)
      }
    }
  }

  @Test("If an import brought two workouts with one local id, removing the first finds the second")
  func oneLocalID() throws {
    var (names, society) = (Names(), AggregateStates())
    let alice = try names.user("alice")
    let workouts = try ["w1", "w2"].map { try names.workout($0) }
    let profile = ProfileCreated(user: alice, handle: "alice", isPublic: true)
    society.apply(.profile(.created(profile)), at: .epoch)
    for workout in workouts {
      society.apply(
        .workout(
          .shared(
            WorkoutShared(
              workout: workout, owner: alice, localID: "1",
              date: try #require(DateTime("2026-01-01T00:00:00Z")), workoutType: "2000m",
              totalTime: "07:00.0", totalDistance: 2000, averageSplit: "01:45.0",
              isErgTest: false))), at: .epoch)
    }
    #expect(society.earlier(alice, "1") == workouts[0])
    let removal = Event.workout(.removed(WorkoutReference(workout: workouts[0])))
    let saved = society.undoRecord(before: removal)
    let undoRecord = try #require(saved)
    society.apply(removal, at: .epoch)
    #expect(society.earlier(alice, "1") == workouts[1])
    society.restore(undoRecord)
    #expect(society.earlier(alice, "1") == workouts[0])
  }
}
