import Testing

@testable import EventLog
@testable import Events

/// Positions of followers, carried over rewritings whose effects are known.
@Suite struct CarriedPositionTests {
  /// A log's events with made-up checksums, each with the number of the original event.
  private struct Model {
    var events: [(original: Int, head: LogHead)]
    var ledger = Rewritings()

    init(_ count: Int, seed: Int) {
      events = (1...count).map { seq in
        let time = Timestamp(milliseconds: Int64(seed + 10 * seq))
        return (seq, LogHead(seq: UInt64(seq), time: time, sum: Model.sum(seed, 0, seq)))
      }
    }

    static func sum(_ seed: Int, _ round: Int, _ seq: Int) -> UInt64 {
      XXH64.hash(Array("\(seed) \(round) \(seq)".utf8), seed: 0)
    }

    func position(_ index: Int) -> SubscriptionPosition {
      SubscriptionPosition(events[index].head, rewritings: ledger.entries.count)
    }

    func carry(_ position: SubscriptionPosition) throws(LogError) -> Int? {
      try ledger.carry(position) { (seq) throws(LogError) in
        seq == 0 ? LogHead() : seq > UInt64(events.count) ? nil : events[Int(seq) - 1].head
      }.map { $0.seq == 0 ? 0 : events[Int($0.seq) - 1].original }
    }

    /// Changes the checksums from an event on, and leaves events out.
    mutating func rewrite(from first: Int, without lost: ClosedRange<Int>?) {
      let last = events.last?.head ?? LogHead()
      if let lost { events.removeSubrange(lost.lowerBound - 1...lost.upperBound - 1) }
      for index in events.indices where index + 1 >= first {
        events[index].head.seq = UInt64(index + 1)
        events[index].head.sum = Self.sum(-1, ledger.entries.count, index + 1)
      }
      var entry = Rewritings.Entry(
        time: .epoch, first: UInt64(first), head: last.seq, before: last.sum,
        after: events.last?.head.sum ?? 0, reason: "")
      entry.lost = lost.map { [UInt64($0.lowerBound)...UInt64($0.upperBound)] }
      ledger.entries.append(entry)
    }
  }

  @Test("Each position is carried to its event, or to the last one before it that is left")
  func all() throws {
    for firstLost: ClosedRange<Int>? in [nil, 1...2, 4...5, 7...8] {
      for secondLost: ClosedRange<Int>? in [nil, 2...2, 6...6] {
        var model = Model(8, seed: 1)
        let original = (0..<8).map { model.position($0) }
        model.rewrite(from: firstLost?.lowerBound ?? 3, without: firstLost)
        let rewritten = model.events.indices.map { (model.events[$0].original, model.position($0)) }
        model.rewrite(from: secondLost?.lowerBound ?? 2, without: secondLost)
        let left = model.events.map(\.original)
        for (index, position) in original.enumerated() {
          let wanted = left.last { $0 <= index + 1 } ?? 0
          #expect(try model.carry(position) == wanted, "\(index + 1)")
        }
        for (event, position) in rewritten {
          #expect(try model.carry(position) == left.last { $0 <= event } ?? 0, "\(event)")
          // The number may be too small if an erasure happened just before the position was kept.
          if firstLost != nil { continue }
          var early = position
          early.rewritings = 0
          #expect(try model.carry(early) == left.last { $0 <= event } ?? 0, "\(event)")
        }
        // A ledger has the same meaning after it was written and read.
        let text = Array(model.ledger.text.utf8)
        #expect(try Rewritings(text: text, of: "") == model.ledger)
      }
    }
  }

  @Test("A position of another log, or of a later event, is not carried")
  func foreign() throws {
    var model = Model(8, seed: 1)
    let (other, later) = (Model(12, seed: 2), Model(12, seed: 12))
    let last = model.position(7)
    model.rewrite(from: 3, without: nil)
    model.rewrite(from: 5, without: 5...5)
    for index in 0..<12 {
      // Nothing but its time shows to which log a lost event belongs.
      if index != 4 { #expect(try model.carry(other.position(index)) == nil) }
      #expect(try model.carry(later.position(index)) == nil)
    }
    var changed = last
    changed.sum += 1
    #expect(try model.carry(changed) == nil, "the ledger has another checksum")
    changed = last
    changed.seq = 9
    #expect(try model.carry(changed) == nil, "the log had 8 events")
  }

  @Test("A position without a time is carried only if the ledger has its checksum")
  func withoutTime() throws {
    var model = Model(8, seed: 1)
    let positions = [2, 3, 8].map { seq in
      SubscriptionPosition(seq: model.events[seq - 1].head.seq, sum: model.events[seq - 1].head.sum)
    }
    model.rewrite(from: 3, without: nil)
    model.rewrite(from: 1, without: nil)
    #expect(try positions.map { try model.carry($0) } == [nil, nil, 8])
  }
}
