import Testing

@testable import Events

/// What every store does, tried on each.
@Suite struct EventStoreTests {
  @Test("Positions count from 1 without gaps, revisions within each stream")
  func positions() async throws {
    try await withEachStore { (store, name) async throws in
      #expect(try await store.head() == 0)
      for event in [follow("a", "b"), follow("a", "c"), unfollow("a", "b"), follow("a", "b")] {
        try await store.append(Commit([event]))
      }
      let events = try await store.events()
      #expect(events.map(\.seq) == [1, 2, 3, 4], "\(name)")
      #expect(events.map(\.rev) == [1, 1, 2, 3])
      #expect(
        events.map(\.stream) == [
          "follow/a/b", "follow/a/c", "follow/a/b", "follow/a/b",
        ])
      #expect(try await store.head() == 4)
      #expect(try await store.read(after: 1, limit: 2).map(\.seq) == [2, 3])
      #expect(try await store.read(after: 4, limit: 9) == [])
      #expect(try await store.read(stream: "follow/a/b", after: 1).map(\.seq) == [3, 4])
      #expect(try await store.read(stream: "follow/x/y", after: 0) == [])
    }
  }

  @Test("Each expectation is met or refused, with stream, expected and actual")
  func expectations() async throws {
    try await withEachStore { (store, name) async throws in
      try await store.append(Commit([follow("a", "b")]))
      let cases: [(ExpectedRevision, String, Bool)] = [
        (.any, "follow/a/b", true), (.any, "follow/x/y", true), (.noStream, "follow/x/y", true),
        (.noStream, "follow/a/b", false), (.streamExists, "follow/a/b", true),
        (.streamExists, "follow/x/y", false), (.exact(1), "follow/a/b", true),
        (.exact(0), "follow/a/b", false), (.exact(2), "follow/a/b", false),
        (.exact(0), "follow/x/y", true),
      ]
      for (index, (expected, stream, isMet)) in cases.enumerated() {
        let commit = Commit([follow("c", "d\(index)")], expecting: [.init(stream, expected)])
        if isMet {
          try await store.append(commit)
        } else {
          let actual: UInt64 = stream == "follow/a/b" ? 1 : 0
          let conflict = Conflict(stream: stream, expected: expected, actual: actual)
          await #expect(throws: LogError.conflict(conflict), "\(name) \(expected)") {
            try await store.append(commit)
          }
        }
      }
    }
  }

  @Test("A commit that was decided at another position is refused")
  func position() async throws {
    try await withEachStore { (store, _) async throws in
      try await store.append(Commit([follow("a", "b")], position: 0))
      await #expect(
        throws: LogError.conflict(Conflict(stream: nil, expected: .exact(0), actual: 1))
      ) { try await store.append(Commit([follow("a", "c")], position: 0)) }
      try await store.append(Commit([follow("a", "c")], position: 1))
    }
  }

  @Test("A commit of several events says which of how many each is")
  func batch() async throws {
    try await withEachStore { (store, _) async throws in
      let done = try await store.append(
        Commit([follow("a", "b"), follow("a", "c"), unfollow("a", "b")]))
      #expect(done == Appended(first: 1, last: 3, isRepeat: false))
      let events = try await store.events()
      #expect(events.map(\.batch?.index) == [1, 2, 3])
      #expect(events.map(\.batch?.count) == [3, 3, 3])
      #expect(events.map(\.rev) == [1, 1, 2])
    }
  }

  @Test("faults 26: a retried append succeeds once; the same id with another body is an error")
  func retry() async throws {
    try await withEachStore { (store, name) async throws in
      let commit = Commit(
        [follow("a", "b", id: eventID(1)), follow("a", "c", id: eventID(2))],
        expecting: [.init("follow/a/b", .noStream)])
      try await store.append(commit)
      try await store.append(Commit([follow("x", "y")]))
      let again = try await store.append(commit)
      #expect(again == Appended(first: 1, last: 2, isRepeat: true), "\(name)")
      #expect(try await store.head() == 3)
      await #expect(throws: LogError.idTaken(eventID(1), seq: 1)) {
        try await store.append(Commit([follow("a", "z", id: eventID(1))]))
      }
      await #expect(throws: LogError.idTaken(eventID(1), seq: 1)) {
        try await store.append(
          Commit([follow("a", "b", id: eventID(1)), follow("a", "q", id: eventID(9))]))
      }
      #expect(try await store.head() == 3)
    }
  }

  @Test("Commits are taken in order up to the first that is refused")
  func stops() async throws {
    try await withEachStore { (store, _) async throws in
      let results = await store.append([
        Commit([follow("a", "b")]),
        Commit([follow("a", "c")], expecting: [.init("follow/a/b", .noStream)]),
        Commit([follow("a", "d")]),
      ])
      #expect(results.count == 2)
      _ = try results[0].get()
      #expect(throws: LogError.self) { try results[1].get() }
      #expect(try await store.head() == 1)
    }
  }

  @Test("faults 27: recorded time never goes back, and a given time before the last is refused")
  func time() async throws {
    let laboratory = Laboratory()
    let store = InMemoryLog(laboratory.surroundings)
    try await store.append(Commit([follow("a", "b")]))
    laboratory.time.store(0, ordering: .relaxed)
    try await store.append(Commit([follow("a", "c")]))
    let events = try await store.events()
    #expect(events[0].time == events[1].time)
    var past = follow("a", "d")
    past.time = .epoch
    await #expect(throws: LogError.timeGoesBack(last: events[1].time, given: .epoch)) {
      try await store.append(Commit([past]))
    }
  }

  @Test("What is no event is refused: an actor, a stream, a time, a size")
  func invalid() async throws {
    try await withEachStore { (store, name) async throws in
      var cases: [NewEvent] = []
      for actor in ["", "a b", ".", "..", String(repeating: "a", count: 129)] {
        var event = follow("a", "b")
        event.actor = actor
        cases.append(event)
      }
      for stream in ["", "x", "follow/", "follow/a b", "a//b", "a/b/c/d/e"] {
        var event = follow("a", "b")
        event.stream = stream
        cases.append(event)
      }
      var huge = follow("a", "b")
      huge.data = [UInt8](repeating: 0x20, count: LineParser.longestLine)
      cases.append(huge)
      var late = follow("a", "b")
      late.time = Timestamp(milliseconds: .max)
      cases.append(late)
      for event in cases {
        await #expect(throws: LogError.self, "\(name) \(event.actor) \(event.stream)") {
          try await store.append(Commit([event]))
        }
      }
      #expect(try await store.head() == 0)
    }
  }

  @Test("Both stores write the same bytes")
  func sameBytes() async throws {
    let folder = Folder()
    let file = try FileLog(
      path: folder.log, creating: true, surroundings: Laboratory().surroundings)
    let memory = InMemoryLog(Laboratory().surroundings)
    var random = Seeded(7)
    for _ in 0..<200 {
      let events = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        follow(
          "u\(Int.random(in: 0..<9, using: &random))", "v\(Int.random(in: 0..<9, using: &random))")
      }
      try await file.append(Commit(events))
      try await memory.append(Commit(events))
    }
    #expect(try await file.events() == memory.events())
    #expect(
      try file.view().bytes(0, 0..<file.view().size)
        == memory.view().bytes(0, 0..<memory.view().size))
    #expect(try memory.view().verify().head == file.view().verify().head)
  }
}
