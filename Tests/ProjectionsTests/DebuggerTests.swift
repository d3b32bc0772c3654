import EventLog
import Events
import FaultTesting
import Testing

@testable import Projections
@testable import Replaying

@Suite struct DebuggerTests {
  @Test(
    "The debugger stops, in both directions, at the events that a check of every event finds",
    arguments: [1, 2])
  func stops(seed: UInt64) async throws {
    let count = UInt64(Sweep.size(350, 700, 700))
    let view = try await TimeTravelTests.view(Int(count), seed: seed, isPlausible: true)
    var events: [RecordedEvent] = []
    try view.forEachEvent {
      events.append($0)
      return true
    }
    let actor = events[300].actor
    let path = try StatePath("followers/\(actor).count")
    let timeline = try await TimeTravel(view).timeline(of: path)
    let condition = try Expression("\(path.text) > 2")
    let turns = try await TimeTravel(view).turns(of: condition).turns
    let sets: [([Debugger<LogView>.Stop], (RecordedEvent) -> Bool)] = [
      ([.type("CommentPosted")], { $0.type == "CommentPosted" }),
      ([.actor(actor)], { $0.actor == actor }),
      (
        [.type("AccountDeleted"), .actor(actor)],
        { $0.type == "AccountDeleted" || $0.actor == actor }
      ),
      ([.changes(path)], { event in timeline.steps.contains { $0.event.seq == event.seq } }),
      (
        [.turns(condition), .type("FriendRemoved")],
        { event in event.type == "FriendRemoved" || turns.contains { $0.event.seq == event.seq } }
      ),
      ([.condition(condition)], { e in turns.contains { $0.becomes && $0.event.seq == e.seq } }),
      ([.type("Nothing")], { _ in false }), ([], { _ in false }),
    ]
    for (stops, isStop) in sets {
      var debugger = try await Debugger(TimeTravel(view))
      for stop in stops { try await debugger.add(stop) }
      #expect(debugger.position == count)
      let wanted = events.filter(isStop).map(\.seq)
      var found: [UInt64] = []
      while try debugger.go(.back, isInterrupted: { false }) != .end {
        found.append(debugger.position)
      }
      #expect(debugger.position == 0)
      // Going back does not stop at the head, because it begins there.
      #expect(found.reversed() == wanted.filter { $0 < count }, "\(stops)")
      found = []
      while try debugger.go(.forward, isInterrupted: { false }) != .end {
        found.append(debugger.position)
      }
      #expect(debugger.position == count && found == wanted, "\(stops)")
    }
  }

  @Test(
    "Steps stop at both ends, an interruption keeps the position, and breakpoints can be removed")
  func steps() async throws {
    var debugger = try await Debugger(TimeTravel(try await TimeTravelTests.view(50, seed: 1)))
    var moved = debugger.step(.back, 20)
    #expect(moved && debugger.position == 30)
    moved = debugger.step(.forward)
    #expect(moved && debugger.position == 31)
    moved = debugger.step(.back, 1_000)
    #expect(moved && debugger.position == 0)
    moved = debugger.step(.back)
    #expect(!moved)
    debugger.move(to: 99)
    moved = debugger.step(.forward, .max)
    #expect(debugger.position == 50 && !moved)
    try await debugger.add(.actor("nobody"))
    debugger.move(to: 10)
    let end = try debugger.go(.forward, isInterrupted: { true })
    #expect(end == .interrupted)
    #expect(debugger.position == 10)
    let removed = (debugger.remove(1), debugger.remove(1))
    #expect(removed == (true, false) && debugger.breakpoints.isEmpty)
    let number = try await debugger.add(.type("UserFollowed"))
    #expect(number == 2)
  }
}
