import Events
import FaultTesting
import PropertyTesting
import Testing
import UseCases

@Suite struct HistoryShrinkerTests {
  @Test("The smallest history keeps the wanted events, is possible, and has no unneeded event")
  func smallest() async throws {
    try await check(runs: Sweep.size(60, 180, 6_000), covering: ["smaller": 0.5]) { t in
      let history = t.draw(.history(max: 60), "history")
      try t.assume(history.count > 0)
      // A bug may need some events, and their order.
      let wanted = Set(
        t.draw(.array(of: .int(1...history.count), 1...3), "wanted").map { UInt64($0) })
      let view = try await history.log().view()
      var search = try HistoryShrinker(view)
      #expect(search.count == history.count)
      #expect(search.smallest.seqs == Array(1...UInt64(history.count)))
      var tries = 0
      await search.shrink { part in
        tries += 1
        return wanted.isSubset(of: part.seqs)
      }
      let found = search.smallest
      t.label("smaller", if: found.count < history.count)
      #expect(wanted.isSubset(of: found.seqs))
      #expect(found.seqs == found.seqs.sorted())
      #expect(try await Self.isPossible(found.seqs, of: history))
      for seq in found.seqs where !wanted.contains(seq) {
        let rest = found.seqs.filter { $0 != seq }
        #expect(try await !Self.isPossible(rest, of: history), "event \(seq) is not needed")
      }
      #expect(tries <= 40 + 20 * found.count * found.count + 6 * history.count)
    }
  }

  private static func isPossible(_ seqs: [UInt64], of history: GeneratedHistory) async throws
    -> Bool
  {
    let part = GeneratedHistory(
      names: history.names, entries: seqs.map { history.entries[Int($0) - 1] })
    return try Check(try await part.log().view()).findings.isEmpty
  }

  @Test("An event that the rules forbid stays forbidden for the same reason")
  func sameReason() async throws {
    let scenario = [
      #"{"type":"ProfileCreated","actor":"a","data":{"user":"a","handle":"ann","isPublic":true}}"#,
      #"{"type":"ProfileCreated","actor":"b","data":{"user":"b","handle":"ben","isPublic":true}}"#,
      #"{"type":"ProfileCreated","actor":"c","data":{"user":"c","handle":"cat","isPublic":true}}"#,
      #"{"type":"UserFollowed","actor":"c","data":{"follower":"c","followee":"a"}}"#,
      #"{"type":"FriendRequested","actor":"a","data":{"sender":"a","receiver":"b"}}"#,
      #"{"type":"FriendRequestAccepted","actor":"b","data":{"sender":"a","receiver":"b"}}"#,
      #"{"type":"FriendRequested","actor":"b","data":{"sender":"b","receiver":"a"}}"#,
    ]
    let log = InMemoryLog()
    for line in scenario { try await log.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    func shrunk(any: Bool) async throws -> [UInt64] {
      var search = try HistoryShrinker(log.view(), any: any)
      // Like `eventlog check`, which fails on any finding.
      try await search.shrink { part in
        let rest = InMemoryLog()
        for result in await rest.append(part.commits) { _ = try result.get() }
        return try !Check(rest.view()).findings.isEmpty
      }
      return search.smallest.seqs
    }
    #expect(try await shrunk(any: false) == [1, 2, 5, 6, 7])
    // An event that is always forbidden needs no accounts.
    let follow = InMemoryLog()
    for line in [
      scenario[0],
      #"{"type":"UserFollowed","actor":"a","data":{"follower":"a","followee":"a"}}"#,
    ] { try await follow.append(Commit([try NewEvent(line: Array(line.utf8))])) }
    var search = try HistoryShrinker(follow.view())
    await search.shrink { $0.seqs.contains(2) }
    #expect(search.smallest.seqs == [2])
    // Without its accounts, any event is forbidden.
    #expect(try await shrunk(any: true).count == 1)
  }

  @Test("The remaining events of one commit stay together")
  func commits() async throws {
    let log = InMemoryLog()
    var names = Names()
    let users = try (1...4).map { try names.user("u\($0)") }
    let made = users.map { user in
      NewEvent(
        .profile(
          .created(
            ProfileCreated(user: user, handle: names[user] + "_x", isPublic: true))),
        actor: names[user], names: names)
    }
    try await log.append(Commit(made))
    var search = try HistoryShrinker(log.view())
    await search.shrink { part in part.seqs.contains(2) && part.seqs.contains(4) }
    #expect(search.smallest.seqs == [2, 4])
    #expect(search.smallest.commits.map(\.events.count) == [2])
  }
}
