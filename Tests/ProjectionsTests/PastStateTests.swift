import Events
import Projections
import Testing

@testable import eventlog_cli

@Suite struct PastStateTests {
  private func generated(_ events: Int, until: Int? = nil) async throws -> LogView {
    let log = InMemoryLog()
    var history = HistoryGenerator(events: events, users: 40, seed: 11)
    var names = Names()
    let commits = (0..<(until ?? events)).map { _ in
      let (event, actor, time) = history.next(&names)
      return Commit([NewEvent(event, actor: names[actor], time: time, names: names)])
    }
    for result in await log.append(commits) { _ = try result.get() }
    return log.view()
  }

  @Test("The changes from A to B, applied to the state at A, give the state at B")
  func changesApply() async throws {
    let past = PastState(try await generated(700))
    var random = Seeded(4)
    for _ in 0..<12 {
      let a = UInt64.random(in: 0...700, using: &random)
      let b = UInt64.random(in: 0...700, using: &random)
      let (before, after) = (try await past.facts(at: a), try await past.facts(at: b))
      let changes = try await past.changes(from: a, to: b)
      #expect(before.applying(changes) == after, "from \(a) to \(b)")
      #expect(changes.isEmpty == (before == after))
      let back = try await past.changes(from: b, to: a)
      #expect(back == changes.map { Change($0.path, before: $0.after, after: $0.before) })
    }
  }

  @Test("The state as of R is that of a log that ends at R", arguments: [0, 1, 13, 250, 499, 500])
  func cut(at revision: Int) async throws {
    let whole = PastState(try await generated(500))
    let cut = PastState(try await generated(500, until: revision))
    let state = try await whole.facts(at: UInt64(revision))
    #expect(state == (try await cut.facts(at: .max)))
    #expect(state.isEmpty == (revision == 0))
    #expect(state == state.sorted { $0.path < $1.path })
  }

  @Test("A path names the pieces that begin with it, up to a stroke or a point")
  func paths() async throws {
    let past = PastState(try await generated(500))
    let all = try await past.facts(at: 500)
    for text in ["profile", "profile/u1", "profile/u1.handle", "followers/u1", "workout", "chups"] {
      let path = try #require(StatePath(text))
      let found = try await past.facts(at: 500, under: path)
      #expect(found == all.filter { path.contains($0.path) } && !found.isEmpty, "\(text)")
    }
    let path = try #require(StatePath("profile/u1"))
    #expect(path.contains("profile/u1") && path.contains("profile/u1.bio"))
    #expect(path.contains("profile/u1/x") && !path.contains("profile/u10.bio"))
    #expect(StatePath("nothing/u1") == nil && StatePath("") == nil)
    let kinds = all.compactMap { StatePath($0.path)?.kind }
    #expect(Set(kinds) == Set(StatePath.kinds) && kinds.count == all.count)
  }

  @Test("What came to a list and what left it is told apart from another order")
  func items() {
    let change = Change("followers/a", before: "b, c, d", after: "e, d, b")
    #expect(change.items?.added == ["e"] && change.items?.removed == ["c"])
    #expect(Change("followers/a", before: "b, c", after: "c, b").items?.added == [])
    #expect(Change("chups/w", before: nil, after: "b (big)").items?.added == ["b (big)"])
    #expect(Change("followers/a.count", before: "1", after: "2").items == nil)
    #expect(Change("profile/a.bio", before: "b, c", after: "c").items == nil)
  }
}
