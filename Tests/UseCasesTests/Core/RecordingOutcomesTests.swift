import PersonalLogs
import Testing
import UseCases
import UseCasesTesting

/// A screen as an app would write it: it uses only the protocol.
private struct OutcomeList {
  let source: any OutcomeSource

  var lines: [String] {
    source.outcomes.map { "\($0.name) \($0.error?.code ?? $0.kind.rawValue)" }
  }

  func dismissApplied() throws(UseCaseError) {
    for outcome in source.outcomes where outcome.kind == .applied {
      try source.dismiss(outcome.id)
    }
  }
}

@Suite struct RecordingOutcomesTests {
  private static let applied = CommandOutcome(id: "1", kind: .applied, name: "GiveChup")
  private static let refused = CommandOutcome(
    id: "2", kind: .refused, name: "PostComment", error: .refused(.notVisible))

  @Test("A screen shows the added outcomes, and the double records the dismissed ones")
  func recording() throws {
    let source = RecordingOutcomes()
    let list = OutcomeList(source: source)
    #expect(list.lines.isEmpty)
    source.add(Self.applied)
    source.add(Self.refused)
    #expect(list.lines == ["GiveChup applied", "PostComment notVisible"])
    try list.dismissApplied()
    #expect(list.lines == ["PostComment notVisible"])
    #expect(source.dismissed == ["1"])
  }

  @Test("The updates are the outcomes that are not dismissed, and then each new one")
  func updates() async {
    let source = RecordingOutcomes()
    source.add(Self.applied)
    source.add(Self.refused)
    source.dismiss("1")
    var updates = source.outcomeUpdates().makeAsyncIterator()
    let old = await updates.next()
    #expect(old == Self.refused)
    let added = CommandOutcome(id: "3", kind: .alreadyTrue, name: "FollowUser")
    source.add(added)
    let new = await updates.next()
    #expect(new == added)
    // Each observer has a stream of its own.
    var others = source.outcomeUpdates().makeAsyncIterator()
    let (first, second) = (await others.next(), await others.next())
    #expect(first == Self.refused && second == added)
  }
}
