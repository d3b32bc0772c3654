import FaultTesting
import Foundation
import Testing

@testable import EventLog
@testable import Events

/// Keys of commands in logs that clones share.
@Suite struct SharedKeyTests {
  @Test(
    "A key can be used once across all clones, also by a commit without events",
    arguments: RemoteKind.allCases)
  func keys(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let one = try await folder.clone(of: remote, as: "one")
    let other = try await folder.clone(of: remote, as: "other")
    let now = RuntimeEnvironment.system.now()
    func use(_ tail: UInt64, _ position: UInt64, _ milliseconds: Int64 = 0) -> KeyUse {
      KeyUse(
        tail: 1 << 63 | tail, body: 7, position: position,
        time: Timestamp(milliseconds: now.milliseconds + milliseconds),
        answer: tail == 2 ? #"{"error":"alreadyFriends","details":null}"# : nil)
    }
    // The key is in the event's id. The other clone lacks that event and has another time.
    let id = EventID(time: now, random: (7, 4))
    let first = KeyUse(tail: id.low, body: nil, position: 0, time: now)
    try await one.append(Commit([.following("a", "b", id: id, at: now)], position: 0, use: first))
    await #expect(throws: LogError.keyUsed(first)) {
      let second = EventID(time: Timestamp(milliseconds: now.milliseconds + 5), random: (7, 4))
      try await other.append(
        Commit([.following("a", "c", id: second)], position: 0, use: use(1, 0)))
    }
    // The key has only a note. The other clone gets the first use, and can append other commits.
    let noted = use(2, 1)
    try await one.append(Commit([], position: 1, use: noted))
    for commit in [
      Commit([], position: 1, use: use(2, 1, 3)),
      Commit([.following("a", "d")], position: 1, use: use(2, 1, 4)),
    ] {
      await #expect(throws: LogError.keyUsed(noted)) { try await other.append(commit) }
    }
    #expect(try await other.uses(of: [noted.tail, 99]) == [noted, nil])
    try await other.append(Commit([.following("a", "e")], position: 1, use: use(3, 1)))
    // A note of a state that others have changed is refused.
    await #expect(throws: LogError.conflict(.init(stream: nil, expected: .exact(1), actual: 2))) {
      try await one.append(Commit([], position: 1, use: use(4, 1)))
    }
    #expect(try await remote.head().seq == 2)
    // The log may be ahead of the clock.
    let ahead = use(6, 2, 3_600_000)
    try await other.append(Commit([], position: 2, use: ahead))
    try await one.pull()
    await #expect(throws: LogError.keyUsed(ahead)) {
      try await one.append(Commit([], position: 2, use: use(6, 2)))
    }
    // The same call again, for example after a lost answer.
    let head = try await remote.head()
    let batch = RemoteBatch(
      after: head.seq, head.sum, [], uses: [.init(use(5, 2), isNoted: true)])
    #expect(try await remote.append(batch) == .appended)
    #expect(try await remote.append(batch) == .appended)
  }

  @Test(
    "A database keeps the whole hash of an input, of which the event's id has 12 bits",
    arguments: RemoteKind.allCases)
  func hashes(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let one = try await folder.clone(of: remote, as: "one")
    let now = RuntimeEnvironment.system.now()
    let id = EventID(time: now, random: (0x5_007, 4))
    let use = KeyUse(tail: id.low, body: 0x5_007, position: 0, time: now)
    try await one.append(Commit([.following("a", "b", id: id, at: now)], position: 0, use: use))
    let other = try await folder.clone(of: remote, as: "other")
    let found = try #require(try await other.uses(of: [id.low])[0])
    #expect(found.body == (kind == .folder ? nil : 0x5_007))
    #expect((found.tail, found.position) == (use.tail, use.position))
  }

  @Test(
    "A key noted in a batch with an event that another clone already appended is not lost",
    arguments: RemoteKind.allCases)
  func alike(_ kind: RemoteKind) async throws {
    let folder = ScratchFolder()
    let remote = try await kind.make(folder)
    let one = try await folder.clone(of: remote, as: "one")
    let other = try await folder.clone(of: remote, as: "other")
    let now = RuntimeEnvironment.system.now()
    // Ids derive from keys, so two clones can make the same line from one command.
    let id = EventID(time: now, random: (7, 4))
    let following = Commit(
      [.following("a", "b", id: id, at: now)], position: 0,
      use: KeyUse(tail: id.low, body: nil, position: 0, time: now))
    let noted = KeyUse(tail: 1 << 63 | 9, body: 7, position: 0, time: now)
    try await one.append(following)
    let results = await other.append([Commit([], position: 0, use: noted), following])
    #expect(
      results == [.failure(.conflict(.init(stream: nil, expected: .exact(0), actual: 1)))],
      "the note was decided before events that others appended")
    let later = KeyUse(tail: noted.tail, body: 7, position: 1, time: now)
    try await other.append(Commit([], position: 1, use: later))
    await #expect(throws: LogError.keyUsed(later)) {
      try await one.append(Commit([], position: 1, use: noted))
    }
  }

  @Test("A reported key use comes with the events before it")
  func reported() async throws {
    let folder = ScratchFolder()
    let shared = try await RemoteKind.folder.make(folder)
    let one = try await folder.clone(of: shared, as: "one")
    let now = RuntimeEnvironment.system.now()
    let first = KeyUse(tail: 1 << 63 | 1, body: 7, position: 0, time: now)
    let later = KeyUse(tail: 1 << 63 | 2, body: 7, position: 1, time: now)
    let racing = RacingRemote(shared) { () async throws(LogError) in
      try await one.append(Commit([.following("a", "b")]))
      try await one.append(Commit([], position: 1, use: later))
      return [later]
    }
    let other = try await folder.clone(of: racing, as: "other")
    try await one.append(Commit([], position: 0, use: first))
    let own = [first, later].map { use in
      KeyUse(
        tail: use.tail, body: 7, position: 0, time: Timestamp(milliseconds: now.milliseconds + 5))
    }
    let results = await other.append(own.map { Commit([], position: 0, use: $0) })
    #expect(results == [.failure(.keyUsed(first))])
    #expect(try await other.uses(of: [later.tail]) == [later])
    #expect(await other.head() == 1)
  }
}
