import Foundation
import Testing

@testable import EventLog
@testable import Events

/// The behaviour that every store has in common.
@Suite struct StoreContractTests {
  @Test("Positions count the log's events, revisions each stream's, from 1 and without gaps")
  func positions() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      #expect(try await store.head() == 0, "\(kind)")
      #expect(try await store.all().isEmpty)
      let first = try await store.append(Commit([.following("a", "b")]))
      #expect(first == Appended(first: 1, last: 1, isRepeat: false))
      try await store.append(Commit([.following("c", "d"), .following("a", "b")]))
      try await store.append(Commit([.following("a", "b")]))
      let events = try await store.all()
      #expect(events.map(\.seq) == [1, 2, 3, 4], "\(kind)")
      #expect(events.map(\.rev) == [1, 1, 2, 3], "\(kind)")
      #expect(events.map(\.actor) == ["a", "c", "a", "a"], "\(kind)")
      #expect(try await store.head() == 4)
    }
  }

  @Test("Reading starts after a position and returns up to the requested number of events")
  func reading() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      for number in 0..<20 {
        try await store.append(Commit([.following("a", "n\(number % 3)")]))
      }
      for after in 0...21 as ClosedRange<UInt64> {
        for limit in [0, 1, 7, 20, 21, Int.max, -1] {
          let found = try await store.read(after: after, limit: limit).map(\.seq)
          let expected = Array((1...20).filter { $0 > after }.prefix(max(0, limit)))
          #expect(found == expected, "\(kind): after \(after), limit \(limit)")
        }
      }
      #expect(try await store.read(after: .max, limit: 5).isEmpty)
    }
  }

  @Test("A second commit with a key is refused with the key's first use, for any events")
  func keys() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let time = RuntimeEnvironment.system.now()
      let id = EventID(time: time, random: (7, 4))
      let use = KeyUse(tail: id.low, body: 7, position: 0, time: time)
      try await store.append(Commit([.following("a", "b", id: id)], use: use))
      for id in [id, EventID(time: .latest, random: (7, 4)), nil] {
        guard
          case .failure(.keyUsed(let first))? = await store.append(
            [Commit([.following("a", "c", id: id)], use: use)]
          ).first
        else {
          Issue.record("\(kind) took the key twice")
          continue
        }
        #expect(first.position == 0 && first.tail == id?.low ?? use.tail, "\(kind)")
      }
      #expect(try await store.head() == 1, "\(kind)")
      let other = KeyUse(tail: 1 << 63 | 2, body: 7, position: 1, time: time)
      try await store.append(Commit([.following("a", "c")], use: other))
    }
  }

  @Test("Reading a stream starts after a revision; a stream that does not exist has no events")
  func readingStreams() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      for number in 0..<20 {
        try await store.append(Commit([.following("a", "n\(number % 3)")]))
      }
      for number in 0..<3 {
        let positions = (1...20).filter { ($0 - 1) % 3 == UInt64(number) }
        for after in 0...8 {
          let found = try await store.read(stream: "follow/a/n\(number)", after: UInt64(after))
          #expect(found.map(\.seq) == Array(positions.dropFirst(after)), "\(kind)")
          #expect(found.map(\.rev) == positions.indices.dropFirst(after).map { UInt64($0) + 1 })
        }
      }
      #expect(try await store.read(stream: "follow/a/n9", after: 0).isEmpty)
      #expect(try await store.read(stream: "follow/a", after: 0).isEmpty)
      #expect(try await store.read(stream: "follow/a/n0", after: .max).isEmpty)
    }
  }

  @Test("faults 27: recorded time never goes back, even if the clock goes back or far ahead")
  func clock() async throws {
    for kind in StoreKind.allCases {
      let clock = SteppedClock()
      let store = try await kind.make(clock)
      var random = SplitMix64(seed: 27)
      var last = Timestamp.earliest
      for number in 0..<40 {
        let now = SteppedClock.start.milliseconds + Int64.random(in: -9...9, using: &random) << 20
        clock.set(Timestamp(milliseconds: now))
        try await store.append(Commit([.following("a", "n\(number)"), .following("b", "c")]))
        let events = try await store.read(after: UInt64(number) * 2, limit: 2)
        let expected = max(last, Timestamp(milliseconds: now + 1_000))
        #expect(events[0].time == expected, "\(kind), \(number)")
        #expect(events[1].time >= events[0].time)
        last = events[1].time
      }
      clock.set(Timestamp(milliseconds: .max / 2))
      try await store.append(Commit([.following("a", "b")]))
      #expect(try await store.all().last?.time == .latest)
    }
  }

  @Test("A given time is kept; a time before the last one is refused, with both times")
  func givenTimes() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let (early, late) = (Timestamp(milliseconds: -5), Timestamp(milliseconds: 5))
      try await store.append(Commit([.following("a", "b", at: early)]))
      try await store.append(
        Commit([.following("a", "b", at: late), .following("a", "c", at: late)]))
      #expect(try await store.all().map(\.time) == [early, late, late], "\(kind)")
      for times in [[early], [late, early], [Timestamp(milliseconds: 9), late]] {
        let commit = Commit(times.map { .following("x", "y", at: $0) })
        await #expect(
          throws: LogError.timeGoesBack(
            last: times.count == 1 ? late : times[0], given: times.last!)
        ) { try await store.append(commit) }
      }
      #expect(try await store.head() == 3)
    }
  }

  @Test("A commit numbers its events k/n, and its streams' revisions go up by one")
  func batches() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      try await store.append(Commit([.following("a", "b")]))
      let appended = try await store.append(
        Commit([.following("a", "b"), .following("c", "d"), .following("a", "b")]))
      #expect(appended == Appended(first: 2, last: 4, isRepeat: false), "\(kind)")
      let events = try await store.all()
      #expect(events.map(\.batch?.index) == [nil, 1, 2, 3], "\(kind)")
      #expect(events.map(\.batch?.count) == [nil, 3, 3, 3], "\(kind)")
      #expect(events.map(\.rev) == [1, 2, 1, 3], "\(kind)")
    }
  }

  @Test("A commit without events appends nothing, but its expectations are checked")
  func emptyCommit() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let nothing = Appended(first: 0, last: 0, isRepeat: false)
      #expect(try await store.append(Commit([])) == nothing)
      #expect(await store.append([]).isEmpty)
      try await store.append(Commit([.following("a", "b")]))
      #expect(
        try await store.append(Commit([], expecting: [.init("follow/a/b", .exact(1))])) == nothing)
      await #expect(throws: LogError.self) {
        try await store.append(Commit([], expecting: [.init("follow/a/b", .noStream)]))
      }
      await #expect(throws: LogError.self) { try await store.append(Commit([], position: 0)) }
      #expect(try await store.head() == 1)
    }
  }

  @Test("Commits are appended in order up to the first refused one")
  func stopsAtTheFirst() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let results = await store.append([
        Commit([.following("a", "b")]), Commit([.following("a", "b"), .following("a", "c")]),
        Commit([.following("a", "b")], expecting: [.init("follow/a/b", .exact(1))]),
        Commit([.following("x", "y")]),
      ])
      let conflict = Conflict(stream: "follow/a/b", expected: .exact(1), actual: 2)
      #expect(
        results == [
          .success(Appended(first: 1, last: 1, isRepeat: false)),
          .success(Appended(first: 2, last: 3, isRepeat: false)), .failure(.conflict(conflict)),
        ], "\(kind)")
      #expect(try await store.head() == 3)
    }
  }

  @Test("All stores write the same bytes for the same commits", arguments: [1, 2, 3] as [UInt64])
  func sameBytes(_ seed: UInt64) async throws {
    var benches: [StoreBench] = []
    for kind in StoreKind.allCases {
      benches.append(try await kind.make(SteppedClock(seed: seed)))
    }
    for bench in benches {
      var random = SplitMix64(seed: seed)
      for number in 0..<60 {
        let events = (0..<Int.random(in: 0...4, using: &random)).map { place in
          Bool.random(using: &random)
            ? NewEvent.following("a", "n\(Int.random(in: 0...5, using: &random))")
            : .commenting("c\(number)-\(place)", "“Grüße” \u{1F9D7}\n\(number)")
        }
        let expected = ExpectedRevision.exact(UInt64.random(in: 0...2, using: &random))
        _ = await bench.append([
          Commit(events), Commit(events, expecting: [.init("follow/a/n1", expected)]),
        ])
      }
    }
    let bytes = try benches.map { try $0.view().allBytes() }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0].count > 10_000)
    #expect(bytes.allSatisfy { $0 == bytes[0] })
    let heads = try benches.map { try $0.view().verify().head }
    #expect(heads[0] == heads[1])
    #expect(try benches[1].view().segmentCount > 2)
  }

  @Test("Catching up stops at an unknown type or skips it, as requested")
  func catchingUp() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let unknown = NewEvent(
        type: "Quake", version: 3, stream: "quake/a", actor: "a", data: Array("{}".utf8))
      try await store.append(Commit([.following("a", "b")]))
      try await store.append(Commit([unknown]))
      try await store.append(Commit([.following("a", "c")]))
      var names = Names()
      var seen: [UInt64] = []
      let reached = try await store.history().forEachTypedEvent(&names, unknown: .skip) {
        _, _, moment in seen.append(moment.seq)
      }
      #expect(seen == [1, 3] && reached?.seq == 3)
      await #expect(throws: LogError.unknownType(name: "Quake", version: 3, seq: 2)) {
        _ = try await store.history().forEachTypedEvent(&names) { _, _, _ in }
      }
      let history = try await store.history()
      #expect(try history.forEachTypedEvent(after: 3, &names) { _, _, _ in } == nil)
    }
  }

  @Test("Statistics count old versions of a type separately")
  func statistics() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let old = NewEvent(
        type: "ChupGiven", version: 0, stream: "chup/w/a", actor: "a",
        data: Array(#"{"workout":"w","user":"a"}"#.utf8))
      try await store.append(Commit([old]))
      try await store.append(Commit([.following("a", "b")]))
      let types = try store.view().statistics().types
      #expect(types[UnknownType(name: "ChupGiven", version: 0)] == 1)
      #expect(types[UnknownType(name: "UserFollowed", version: 1)] == 1)
    }
  }
}
