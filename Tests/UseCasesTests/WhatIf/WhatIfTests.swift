import Aggregates
import Events
import HistoryGeneration
import Projections
import Testing

@testable import UseCases

@Suite struct WhatIfTests {
  private struct Story {
    var view: LogView
    var events: [RecordedEvent]
  }

  private func story(_ count: Int, seed: UInt64) async throws -> Story {
    let log = InMemoryLog()
    var history = HistoryGenerator(events: count, users: 12, seed: seed)
    var names = Names()
    for commit in history.commits(count, &names) { try await log.append(commit) }
    return Story(view: log.view(), events: await log.read(after: 0, limit: .max))
  }

  /// A log of these events in this order, with times that do not go back.
  private func view(of events: [RecordedEvent]) async throws -> LogView {
    let log = InMemoryLog()
    for event in events {
      try await log.append(Commit([try NewEvent(line: Array(Self.line(event).utf8))]))
    }
    return log.view()
  }

  private static func line(_ event: RecordedEvent, withTime: Bool = true) -> String {
    let data = String(decoding: event.data, as: UTF8.self)
    let time = withTime ? #""time":"\#(event.time)","# : ""
    let head = #"{\#(time)"type":"\#(event.type)","v":\#(event.version),"#
    return head + #""actor":"\#(event.actor)","data":\#(data)}"#
  }

  private func facts(_ view: LogView) async throws -> [Fact] {
    try await TimeTravel(view).facts(at: .max)
  }

  @Test("Skipping events gives the state of a log without them", arguments: [1, 2])
  func skipping(seed: UInt64) async throws {
    let story = try await story(220, seed: seed)
    let before = try await facts(story.view)
    for skipped in [[9], [40, 41, 42, 43], [220], [1]] as [Set<UInt64>] {
      var whatIf = WhatIf()
      whatIf.skipped = skipped
      let outcome = try whatIf.run(story.view, comparing: true)
      let rest = story.events.filter { !skipped.contains($0.seq) }
      #expect(outcome.count == rest.count)
      let wanted = try await facts(try await view(of: rest))
      #expect(before.applying(outcome.changes) == wanted, "\(skipped)")
    }
    #expect(try WhatIf().run(story.view, comparing: true).changes == [])
    #expect(try WhatIf().run(story.view, comparing: false).refusals == [])
  }

  @Test("What-if reports the refusals of a log without the skipped events")
  func refusals() async throws {
    let story = try await story(300, seed: 5)
    var found = 0
    for skipped in stride(from: UInt64(3), through: 280, by: 23) {
      var whatIf = WhatIf()
      whatIf.skipped = [skipped]
      let outcome = try whatIf.run(story.view, comparing: false)
      var (audit, names, wanted) = (Audit(), Names(), [UInt64]())
      try story.view.forEachTypedEvent(&names) { event, actor, moment in
        if moment.seq == skipped { return }
        if audit.apply(copy event, actor: actor, at: moment) != nil { wanted.append(moment.seq) }
      }
      #expect(outcome.refusals.map(\.seq) == wanted, "without \(skipped)")
      found += wanted.count
    }
    #expect(found > 10)
  }

  @Test("If events are decided again, refused ones do not happen, and no forbidden one remains")
  func redeciding() async throws {
    let story = try await story(300, seed: 6)
    for skipped in [2, 14, 31, 77] as [UInt64] {
      var whatIf = WhatIf()
      whatIf.skipped = [skipped]
      whatIf.redecides = true
      let outcome = try whatIf.run(story.view, comparing: true)
      // The same result, by removing refused events until none is refused.
      var kept = story.events.filter { $0.seq != skipped }
      var (audit, names) = (Audit(), Names())
      let rest = try await view(of: kept)
      var refused: Set<UInt64> = []
      var society = AggregateStates()
      try rest.forEachTypedEvent(&names) { event, actor, moment in
        if society.reason(copy event, actor, at: moment.time, .climb) == nil {
          society.apply(copy event, at: moment.time)
        } else {
          refused.insert(moment.seq)
        }
      }
      kept = kept.enumerated().filter { !refused.contains(UInt64($0.offset + 1)) }.map(\.element)
      let without = try await view(of: kept)
      #expect(try await facts(story.view).applying(outcome.changes) == facts(without))
      #expect(outcome.count == kept.count && outcome.refusals.count == refused.count)
      names = Names()
      try without.forEachTypedEvent(&names) { event, actor, moment in
        #expect(audit.apply(copy event, actor: actor, at: moment) == nil)
      }
    }
  }

  @Test("Events are inserted by time, and moved after others")
  func inserting() async throws {
    let story = try await story(120, seed: 7)
    let taken = story.events[60]
    var whatIf = WhatIf()
    whatIf.skipped = [taken.seq]
    whatIf.inserted = [Array(Self.line(taken).utf8)]
    let same = try whatIf.run(story.view, comparing: true)
    #expect(same.changes == [] && same.count == 120)
    whatIf.inserted = [Array(Self.line(taken, withTime: false).utf8)]
    let last = try whatIf.run(story.view, comparing: true)
    var moved = WhatIf()
    moved.moved = [taken.seq: 120]
    let alike = try moved.run(story.view, comparing: true)
    #expect(last.refusals.map(\.type) == alike.refusals.map(\.type))
    var back = WhatIf()
    back.moved = [61: 60]
    #expect(try back.run(story.view, comparing: true).changes == [])
    var first = WhatIf()
    first.moved = [61: 0]
    #expect(try first.run(story.view, comparing: false).refusals.first?.seq == 61)
    whatIf.inserted = [Array(#"{"type":"Nothing","actor":"a","data":{}}"#.utf8)]
    #expect(throws: LogError.self) { try whatIf.run(story.view, comparing: false) }
  }

  @Test("An event that the original rules allowed is reported when it becomes illegal")
  func rulesThatHeld() async throws {
    let log = InMemoryLog()
    let bio = String(repeating: "x", count: 500)  // ride allows 1,000, climb 280
    for line in [
      #"{"type":"ProfileCreated","actor":"ann","data":{"user":"ann","handle":"ann","#
        + #""displayName":"Ann","isPublic":true}}"#,
      #"{"type":"ProfileEdited","actor":"ann","data":{"user":"ann","bio":"\#(bio)"}}"#,
    ] { try await log.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    var whatIf = WhatIf()
    whatIf.rules = .ride
    whatIf.skipped = [1]
    // Climb would have refused event 2 anyway, so nothing becomes illegal.
    #expect(try whatIf.run(log.view(), comparing: false).refusals == [])
    whatIf.rulesThatHeld = .ride
    #expect(try whatIf.run(log.view(), comparing: false).refusals.map(\.seq) == [2])
    // In the same app by the limits of climb.
    (whatIf.skipped, whatIf.rules) = ([], .climb)
    #expect(try whatIf.run(log.view(), comparing: false).refusals.map(\.seq) == [2])
  }

  @Test("What-if with other rules reports their refusals")
  func rules() async throws {
    let story = try await story(200, seed: 8)
    var whatIf = WhatIf()
    whatIf.rules = .ride
    let outcome = try whatIf.run(story.view, comparing: false)
    for refusal in outcome.refusals { #expect(refusal.sentence.contains("(")) }
    whatIf.until = 10
    #expect(try whatIf.run(story.view, comparing: false).count == 10)
  }
}
