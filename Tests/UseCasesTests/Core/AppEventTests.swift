import Aggregates
import Events
import FaultTesting
import Foundation
import Projections
import PropertyTesting
import Testing
import UseCases

@Suite("An app's own events") struct AppEventTests {
  /// A log on disk, and a core on it that reads the app's events.
  private func open(_ folder: Folder) async throws -> (FileLog, Core) {
    let log = try FileLog(path: folder.path, creating: true)
    let core = try await Core.open(log, catalogue: gymCatalogue)
    for user in ["ann", "ben"] {
      _ = try await CreateProfile(core).execute(.init(user: user, handle: user), as: Caller(user))
    }
    return (log, core)
  }

  private func tick(_ core: Core, _ route: String, by user: String) async throws(UseCaseError) {
    try await core.commit(as: Caller(user)) { model throws(UseCaseError) in
      model.expect("climbr.tick/\(route)/\(user)", .noStream)
      model.append(Ticked(route, try model.user(user)))
    }
  }

  private func users(_ core: Core, _ route: String, as caller: Caller = nil) async throws
    -> [String]
  {
    try await core.ask(Ticks.self, as: caller) { ticks in
      (ticks.projection.users[route] ?? []).filter(ticks.sees).map { ticks.names[$0] }
    }
  }

  @Test("Every kind of member of an app's event is written in order, and read back unchanged")
  func members() async throws {
    let folder = Folder()
    let (log, core) = try await open(folder)
    let written = try await core.commit(as: "ann") { model throws(UseCaseError) in
      var set = RouteSet()
      set.route = "blue"
      set.setters = [try model.user("ben"), try model.user("nobody-yet")]
      (set.wall, set.holds, set.height, set.isOpen) = (.overhang, -12, 4.25, false)
      set.setAt = DateTime("2026-01-19T09:00:00Z")
      set.until = CalendarDate("2026-02-28")
      set.extra = .object([.init("colour", .string("bl\"ue")), .init("tape", .null)])
      model.append(set)
      return set
    }
    let line = try #require(try log.view().line(at: 3)?.event)
    #expect(line.type == "climbr.RouteSet" && line.version == 2 && line.rev == 1)
    #expect(line.stream == "climbr.route/blue" && line.actor == "ann")
    #expect(
      String(decoding: line.data, as: UTF8.self) == #"""
        {"route":"blue","setters":["ben","nobody-yet"],"wall":"overhang","holds":-12,\#
        "height":4.25,"isOpen":false,"setAt":"2026-01-19T09:00:00Z","until":"2026-02-28",\#
        "extra":{"colour":"bl\"ue","tape":null}}
        """#)
    var names = Names()
    names.appEvents = [RouteSet.self]
    for user in ["ann", "ben", "nobody-yet"] { _ = try names.user(user) }
    var read: [RouteSet] = []
    try log.view().forEachTypedEvent(&names) { event, _, _ in
      if case .app(let record) = event, let set = record[RouteSet.self] { read.append(set) }
    }
    #expect(read == [written])
  }

  @Test("An app's events and the core's own are appended in one commit, or not at all")
  func oneCommit() async throws {
    let folder = Folder()
    let (log, core) = try await open(folder)
    try await core.commit(as: "ann") { model throws(UseCaseError) in
      model.append(Ticked("blue", try model.user("ann")))
      _ = try BlockUser(core).decide(.init(user: "ben"), in: &model)
      _ = try UnblockUser(core).decide(.init(user: "ben"), in: &model)
      _ = try FollowUser(core).decide(.init(followee: "ben"), in: &model)
      _ = try BlockUser(core).decide(.init(user: "ben"), in: &model)
    }
    var lines: [RecordedEvent] = []
    try log.view().forEachEvent(after: 2) { event in
      lines.append(event)
      return true
    }
    #expect(
      lines.map(\.type) == [
        "climbr.Ticked", "UserBlocked", "UserUnblocked", "UserFollowed", "UserBlocked",
        "UserUnfollowed",
      ])
    #expect(lines.map(\.batch) == (1...6).map { Batch(index: $0, count: 6) })
    // The unfollow names the block that caused it, in the middle of the commit.
    #expect(lines.map(\.cause) == [nil, nil, nil, nil, nil, lines[4].id])
    #expect(try Check(log.view()).forbidden == 0)

    let position = core.position
    for _ in 0..<2 {
      await #expect(throws: UseCaseError.refused(.cannotFollowSelf)) {
        try await core.commit(as: "ann") { model throws(UseCaseError) in
          model.append(Ticked("red", try model.user("ann")))
          _ = try UnblockUser(core).decide(.init(user: "ben"), in: &model)
          _ = try FollowUser(core).decide(.init(followee: "ann"), in: &model)
        }
      }
    }
    #expect(await log.head() == position)
    #expect(try await users(core, "red") == [])
    #expect(try await GetBlocked(core).execute(.init(), as: "ann").count == 1)
  }

  @Test("An unexpected stream revision is a conflict, and no other command fails because of it")
  func expectations() async throws {
    let folder = Folder()
    let (log, core) = try await open(folder)
    // All at once, so that they are decided in one batch.
    let outcomes = await withTaskGroup(of: Result<Void, any Error>.self) { group in
      for number in 0..<60 {
        let user = number.isMultiple(of: 2) ? "ann" : "ben"
        group.addTask {
          do { return .success(try await self.tick(core, "r\(number % 10)", by: user)) } catch {
            return .failure(error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.filter { (try? $0.get()) != nil }.count == 10)
    for case .failure(let error) in outcomes {
      guard case .log(.conflict(let conflict)) = error as? UseCaseError else {
        Issue.record("\(error)")
        continue
      }
      #expect(conflict.stream?.hasPrefix("climbr.tick/r") == true && conflict.actual == 1)
      #expect((error as? UseCaseError)?.code == "conflict")
    }
    #expect(await log.head() == 12)
    #expect(try await users(core, "r1") == ["ben"])
  }

  @Test("A commit without a caller or with an invalid stream name is refused")
  func refusals() async throws {
    let folder = Folder()
    let (log, core) = try await open(folder)
    await #expect(throws: UseCaseError.refused(.unauthorized)) {
      try await core.commit(as: nil) { model in model.append(Ticked()) }
    }
    let invalid = await #expect(throws: UseCaseError.self) {
      try await core.commit(as: "ann") { model in
        var set = RouteSet()
        set.route = "the blue one"
        model.append(set)
      }
    }
    #expect(invalid?.code == "invalidInput")
    #expect("\(try #require(invalid))".hasPrefix("climbr.RouteSet: its stream is not"))
    #expect(await log.head() == 2)
    try await tick(core, "blue", by: "ann")
    #expect(await log.head() == 3)
  }

  @Test("Queries check visibility, and an updated answer follows each change")
  func asking() async throws {
    let folder = Folder()
    let (_, core) = try await open(folder)
    try await tick(core, "blue", by: "ann")
    var answers = core.updates(of: Ticks.self) { $0.projection.users["blue"]?.count }
      .makeAsyncIterator()
    #expect(try await answers.next() == 1)
    try await tick(core, "blue", by: "ben")
    #expect(try await answers.next() == 2)
    _ = try await BlockUser(core).execute(.init(user: "ann"), as: "ben")
    #expect(try await users(core, "blue", as: "ann") == ["ann"])
    #expect(try await users(core, "blue", as: "ben") == ["ben"])
    #expect(try await users(core, "blue", as: .service("gym")) == ["ann", "ben"])
    _ = try await DeleteAccount(core).execute(.init(), as: "ann")
    #expect(try await answers.next() == 1)
  }

  @Test("Cores of another process, without the types, and from a checkpoint agree")
  func others() async throws {
    let folder = Folder()
    let (log, core) = try await open(folder)
    let view = try LogView(path: folder.path)
    let reader = try await Core.open(reading: view, catalogue: gymCatalogue)
    let plain = try await Core.open(reading: view)
    try await tick(core, "blue", by: "ben")
    try await reader.catchUp()
    try await plain.catchUp()
    #expect(try await users(reader, "blue") == ["ben"])
    #expect(plain.position == 3 && plain.projection(Ticks.self) == nil)
    #expect(try await core.saveCheckpoint())
    try await tick(core, "blue", by: "ann")
    let again = try await Core.open(reading: log.view(), catalogue: gymCatalogue)
    #expect(again.ignoredStates.isEmpty)
    #expect(try await users(again, "blue") == ["ben", "ann"])
    // An unusable checkpoint is replaced by a replay of the log, with the same types.
    var ahead = Replay(CoreState(gymCatalogue))
    try await ahead.run(log.view())
    let short = InMemoryLog()
    try await short.append(
      Commit([
        NewEvent(
          line: Array(#"{"type":"climbr.Ticked","actor":"ann","stream":"#.utf8)
            + Array(#""climbr.tick/red/ann","data":{"route":"red","climber":"ann"}}"#.utf8))
      ]))
    let fresh = try await Core(short, state: ahead)
    #expect(fresh.ignoredStates.count == 1)
    #expect(try await fresh.ask(Ticks.self) { $0.projection.users["red"]?.count } == 1)
  }

  @Test("In random histories with an app's events, every way to compute a state gives the same one")
  func sameState() async throws {
    try await check(runs: Sweep.size(5, 45, 600)) { t in
      let history = t.draw(.hostileHistory(max: 24))
      var names = history.names
      let users = try ["ann", "ben", "cem"].map { try names.user($0) }
      let log = InMemoryLog(TestClock().environment)
      for entry in history.entries {
        var events = [NewEvent(entry.event, actor: names[entry.actor], names: names)]
        for _ in 0..<t.draw(.int(0...2)) {
          let tick = Ticked("r\(t.draw(.int(1...3)))", t.draw(.element(of: users)))
          events.append(NewEvent(.app(AppRecord(tick, names)), actor: "ann", names: names))
        }
        try await log.append(Commit(events))
      }
      let view = log.view()
      let head = try view.head().seq
      for comparison in try await gymCatalogue.compare(view, until: head) {
        #expect(comparison.differences.isEmpty, "\(comparison.name)")
      }
      // From the relevant events only.
      let travel = TimeTravel(view, catalogue: gymCatalogue)
      let revision = UInt64(t.draw(.int(0...Int(head))))
      let facts = try await travel.facts(at: revision).filter { $0.path.hasPrefix("ticks/") }
      for fact in facts {
        let path = try StatePath(fact.path, in: gymCatalogue)
        #expect(try await travel.facts(at: revision, under: path) == [fact])
        if revision == head {
          let why = try await travel.why(path)
          #expect(why.value == fact.value)
          #expect(why.reasons.contains { $0.role == .counts })
        }
      }
      let changes = try await travel.changes(from: revision, to: head)
      let there = try await travel.facts(at: revision).applying(changes)
      #expect(there == (try await travel.facts(at: head)))
    }
  }
}
