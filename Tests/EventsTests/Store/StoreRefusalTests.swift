import Testing

@testable import EventLog
@testable import Events

/// The refusals that every store has in common, and their errors.
@Suite struct StoreRefusalTests {
  static let revisions: [ExpectedRevision] = [
    .any, .noStream, .streamExists, .exact(0), .exact(1), .exact(2), .exact(3), .exact(.max),
  ]

  @Test("An unmet expected revision is refused with stream, expected and actual revision")
  func expectedRevisions() async throws {
    for kind in StoreKind.allCases {
      for expected in Self.revisions {
        for actual in 0...3 as ClosedRange<UInt64> {
          let store = try await kind.make()
          for _ in 0..<actual { try await store.append(Commit([.following("a", "b")])) }
          let isMet =
            switch expected {
            case .any: true
            case .noStream: actual == 0
            case .streamExists: actual > 0
            case .exact(let revision): revision == actual
            }
          for event in [NewEvent.following("a", "b"), .following("x", "y")] {
            let fresh = try await kind.make()
            for _ in 0..<actual { try await fresh.append(Commit([.following("a", "b")])) }
            let commit = Commit([event], expecting: [.init("follow/a/b", expected)])
            let result = await fresh.append([commit])
            let conflict = Conflict(stream: "follow/a/b", expected: expected, actual: actual)
            #expect(
              result == [
                isMet
                  ? .success(Appended(first: actual + 1, last: actual + 1, isRepeat: false))
                  : .failure(.conflict(conflict))
              ], "\(kind): \(expected) at \(actual)")
            #expect(try await fresh.head() == (isMet ? actual + 1 : actual))
          }
        }
      }
    }
  }

  @Test("All expectations of a commit must hold; the error names the first one that does not")
  func severalExpectations() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      try await store.append(Commit([.following("a", "b"), .following("a", "c")]))
      let holds = Commit.Expectation("follow/a/b", .exact(1))
      let breaks = Commit.Expectation("follow/a/c", .noStream)
      let breaksToo = Commit.Expectation("follow/x/y", .streamExists)
      let conflict = Conflict(stream: "follow/a/c", expected: .noStream, actual: 1)
      await #expect(throws: LogError.conflict(conflict), "\(kind)") {
        try await store.append(
          Commit([.following("a", "d")], expecting: [holds, breaks, breaksToo]))
      }
      try await store.append(Commit([.following("a", "d")], expecting: [holds, holds]))
    }
  }

  @Test("A commit decided at another position of the log is refused with both positions")
  func position() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      try await store.append(Commit([.following("a", "b")], position: 0))
      for asked in [0, 2, .max] as [UInt64] {
        let conflict = Conflict(stream: nil, expected: .exact(asked), actual: 1)
        await #expect(throws: LogError.conflict(conflict), "\(kind)") {
          try await store.append(Commit([.following("a", "c")], position: asked))
        }
      }
      try await store.append(Commit([.following("a", "c")], position: 1))
      #expect(try await store.head() == 2)
    }
  }

  @Test("faults 26: a retried append with the same ids and expectations appends once")
  func retried() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let commit = Commit(
        [.following("a", "b", id: .numbered(1)), .following("a", "c", id: .numbered(2))],
        expecting: [.init("follow/a/b", .noStream)], position: 0)
      let single = Commit([.following("x", "y", id: .numbered(3))])
      #expect(try await store.append(commit).isRepeat == false)
      #expect(try await store.append(single).isRepeat == false)
      for _ in 0..<3 {
        let again = try await store.append(commit)
        #expect(again == Appended(first: 1, last: 2, isRepeat: true), "\(kind)")
        let other = try await store.append(single)
        #expect(other == Appended(first: 3, last: 3, isRepeat: true), "\(kind)")
      }
      // A retry may have another time.
      var late = commit
      late.events[0].time = .latest
      #expect(try await store.append(late).isRepeat)
      #expect(try await store.head() == 3)
    }
  }

  @Test("faults 26: an id that another body has, or only a part of a commit, is an error")
  func taken() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let (one, two) = (EventID.numbered(1), EventID.numbered(2))
      try await store.append(Commit([.following("z", "z")]))
      try await store.append(
        Commit([.following("a", "b", id: one), .following("a", "c", id: two)]))
      var others: [NewEvent] = Array(repeating: .following("a", "b", id: one), count: 6)
      others[0].data = Array(#"{"follower":"a","followee":"q"}"#.utf8)
      others[1].actor = "q"
      others[2].type = "UserUnfollowed"
      others[3].cause = .numbered(9)
      others[4].extra = Array(#","trace":1"#.utf8)
      others[5].version = 0
      for other in others {
        await #expect(throws: LogError.idTaken(one, seq: 2), "\(kind): \(other)") {
          try await store.append(Commit([other]))
        }
      }
      let partly: [[NewEvent]] = [
        [.following("a", "b", id: one), .following("n", "n", id: .numbered(7))],
        [.following("n", "n", id: .numbered(7)), .following("a", "b", id: one)],
        [.following("a", "b", id: one), .following("n", "n")],
      ]
      for events in partly {
        await #expect(throws: LogError.idTaken(one, seq: 2), "\(kind)") {
          try await store.append(Commit(events))
        }
      }
      await #expect(throws: LogError.idTaken(two, seq: 3), "\(kind)") {
        try await store.append(
          Commit([.following("a", "c", id: two), .following("a", "b", id: one)]))
      }
      #expect(try await store.head() == 3)
    }
  }

  @Test("A duplicate id in one commit is refused, because a retry could not identify the events")
  func twiceInOneCommit() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let one = EventID.numbered(1)
      // CommitPlan.earlierTry searches only the log, not the events of the commit.
      await #expect(throws: LogError.self, "\(kind)") {
        try await store.append(
          Commit([.following("a", "b", id: one), .following("a", "c", id: one)]))
      }
      let head = try await store.head()
      #expect(head == 0, "\(kind)")
    }
  }

  @Test("An event that cannot be a line is refused with the member's name, and nothing is appended")
  func invalid() async throws {
    let long = String(repeating: "x", count: 129)
    let actors = ["", "a b", "a/b", "a\"b", "a\\b", ".", "..", "é", "a\nb", long]
    let streams = [
      "", "follow", "/", "follow/", "/a", "follow//b", "a/b/c/d/e", "follow/a b", "follow/é",
      "follow/..", "follow/\(long)", "follow/a\nb",
    ]
    let times = [
      Timestamp(milliseconds: Timestamp.earliest.milliseconds - 1),
      Timestamp(milliseconds: Timestamp.latest.milliseconds + 1),
    ]
    var cases: [(String, NewEvent)] = []
    for actor in actors {
      var event = NewEvent.following("a", "b")
      event.actor = actor
      cases.append(("actor", event))
    }
    for stream in streams {
      var event = NewEvent.following("a", "b")
      event.stream = stream
      cases.append(("stream", event))
    }
    for time in times { cases.append(("time", .following("a", "b", at: time))) }
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      for (path, event) in cases {
        for events in [[event], [.following("x", "y"), event]] {
          let result = await store.append([Commit(events)])
          guard case .failure(.invalidEvent(let fault))? = result.first, fault.path == path else {
            // A time before that of the previous event gives another error first.
            if path == "time", case .failure(.timeGoesBack)? = result.first { continue }
            Issue.record("\(kind): \(path) of \(event) gave \(result)")
            continue
          }
        }
      }
      #expect(try await store.all().isEmpty, "\(kind)")
    }
  }

  @Test("faults 39: an event whose line would be too long is refused")
  func tooLong() async throws {
    for kind in StoreKind.allCases {
      let store = try await kind.make()
      let text = String(repeating: "x", count: LineParser.longestLine)
      await #expect(
        throws: LogError.invalidEvent(LineFault(.tooLong(limit: LineParser.longestLine)))
      ) { try await store.append(Commit([.commenting("c", text)])) }
      let fits = String(text.dropLast(1_200))
      try await store.append(Commit([.commenting("c", fits)]))
      #expect(try await store.head() == 1, "\(kind)")
    }
  }
}
