#if Server
  import EventlogClient
  import Foundation
  import Synchronization
  import Testing

  @Suite struct OfflineStoreTests {
    private static let off = UseCaseError.unreachable(reason: "the line is cut")

    @Test("A command off line is answered at once and pending; a sync applies it once")
    func offLine() async throws {
      let bench = try await Bench("ann")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      line.mode = .cut
      try await log("c1", on: phone)
      let pending = try await phone.answer(GetProfile.self, .init())
      #expect(pending.value.sendCount == 1 && pending.settled?.sendCount == 0)
      #expect(pending.isPending && pending.asOf == phone.asOf)
      #expect(phone.pending.map(\.name) == ["LogSend"] && phone.outcomes.isEmpty)
      await #expect(throws: Self.off) { try await phone.sync() }
      #expect(phone.pending.count == 1)
      line.mode = .open
      try await phone.sync()
      #expect(phone.pending.isEmpty && phone.outcomes.map(\.kind) == [.applied])
      let settled = try await phone.answer(GetProfile.self, .init())
      #expect(settled.value.sendCount == 1 && !settled.isPending)
      let tablet = try await bench.phone("tablet", bench.line(of: "ann"))
      try await tablet.sync()
      #expect(try await tablet.answer(GetProfile.self, .init()).value.sendCount == 1)
      #expect(tablet.outcomes.isEmpty)
      #expect(try await bench.server.climbs() == ["c1": 1])
      await bench.end()
    }

    @Test("Only the rows of an answer that depend on pending commands are pending")
    func pendingRows() async throws {
      let bench = try await Bench("ann", "bob")
      let core = bench.server.core
      _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
      _ = try await ShareWorkout(core).execute(
        .init(workout: "w1", date: .now, text: "Ten boulders"), as: "bob")
      _ = try await PostComment(core).execute(.init(workout: "w1", text: "one"), as: "bob")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      line.mode = .cut
      let posted = try await phone.useCase(PostComment.self).execute(
        .init(workout: "w1", text: "two"), as: "ann")
      let comments = try await phone.answer(GetComments.self, .init(workout: "w1"))
      #expect(comments.value.map(\.text) == ["one", "two"])
      #expect(comments.value.map { comments.isPending($0) } == [false, true])
      line.mode = .open
      try await phone.sync()
      #expect(phone.outcomes.map(\.kind) == [.applied])
      let server = try await GetComments(core).execute(.init(workout: "w1"), as: "ann")
      #expect(server.last?.comment == posted.comment)
      await bench.end()
    }

    @Test("Commands whose answers are lost after the commit are performed once")
    func lostAnswers() async throws {
      let bench = try await Bench("ann")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      line.mode = .losesAnswers
      for number in 0..<3 { try await log("c\(number)", on: phone) }
      for _ in 0..<2 {
        await #expect(throws: Self.off) { try await phone.sync() }
        #expect(phone.pending.count == 3 && phone.outcomes.isEmpty)
      }
      line.mode = .open
      try await log("c3", on: phone)
      try await phone.sync()
      #expect(phone.outcomes.map(\.kind) == [.applied, .applied, .applied, .applied])
      #expect(try await bench.server.climbs() == ["c0": 1, "c1": 1, "c2": 1, "c3": 1])
      await bench.end()
    }

    @Test("Each command is performed once though a proxy loses every second answer")
    func proxy() async throws {
      let bench = try await Bench("ann")
      let port = bench.server.listener.port
      let count = Mutex(0)
      let proxy = try Peer { request in
        let answer = Peer.forward(request, to: port) ?? []
        let head = String(decoding: request.prefix(80), as: UTF8.self)
        guard head.contains("/v1/outbox") else { return .answer(answer) }
        let number = count.withLock { count in
          count += 1
          return count
        }
        return number % 2 == 1 ? .cut([]) : .answer(answer)
      }
      let remote = bench.server.remote(as: "ann", port: proxy.port) {
        $0.silence = .seconds(10)
      }
      let phone = try await OfflineStore(bench.folder("phone"), server: remote, of: "ann")
      try await phone.sync()
      for number in 0..<5 {
        try await log("c\(number)", on: phone)
        try await phone.sync()
      }
      #expect(phone.pending.isEmpty && phone.outcomes.map(\.kind).allSatisfy { $0 == .applied })
      #expect(phone.outcomes.count == 5 && count.withLock { $0 } >= 10)
      let climbs = try await bench.server.climbs()
      #expect(climbs.count == 5 && climbs.values.allSatisfy { $0 == 1 })
      remote.close()
      proxy.end()
      await bench.end()
    }

    @Test("A refused command does not block the next one; its outcome is explained")
    func refused() async throws {
      let bench = try await Bench("ann", "bob")
      let core = bench.server.core
      _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      line.mode = .cut
      _ = try await phone.useCase(SendFriendRequest.self).execute(
        .init(receiver: "bob"), as: "ann")
      try await log("c1", on: phone)
      let relationship = try await phone.answer(GetRelationship.self, .init(other: "bob"))
      #expect(relationship.value.word == "requestSent" && relationship.isPending)
      _ = try await SendFriendRequest(core).execute(.init(receiver: "ann"), as: "bob")
      line.mode = .open
      try await phone.sync()
      #expect(phone.outcomes.map(\.kind) == [.refused, .applied])
      let outcome = try #require(phone.outcomes.first)
      #expect(outcome.name == "SendFriendRequest" && outcome.error == .refused(.alreadyReceived))
      #expect(outcome.input["receiver"] == .string("bob"))
      #expect(outcome.explanation?["code"] == .string("alreadyReceived"))
      #expect(
        outcome.explanation?["advice"]
          == .array([.string("accept the other's request: AcceptFriendRequest sender=bob")]))
      #expect(outcome.changedParts.contains("edges"))
      #expect(outcome.decidedOn < outcome.position && outcome.position <= phone.position)
      let now = try await phone.answer(GetRelationship.self, .init(other: "bob"))
      #expect(now.value.word == "requestReceived" && !now.isPending)
      await bench.end()
    }

    @Test("The last answer to a search is remembered with its time; other searches are offline")
    func search() async throws {
      let bench = try await Bench("ann", "bob")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      let online = try await phone.answer(SearchProfiles.self, .init(query: "bob"))
      #expect(online.value.map(\.user) == ["bob"] && !online.isPending)
      line.mode = .cut
      let last = try await phone.answer(SearchProfiles.self, .init(query: "bob"))
      #expect(last.value == online.value && last.asOf == online.asOf)
      let offline = UseCaseError.offline(reason: "the phone has no answer to SearchProfiles")
      await #expect(throws: offline) {
        try await phone.answer(SearchProfiles.self, .init(query: "cat"))
      }
      await #expect(throws: offline) {
        try await phone.useCase(SearchProfiles.self).execute(.init(query: "cat"), as: "ann")
      }
      // A sync asks the server again.
      try await bench.server.people("bobby")
      line.mode = .open
      try await phone.sync()
      line.mode = .cut
      let synced = try await phone.answer(SearchProfiles.self, .init(query: "bob"))
      #expect(Set(synced.value.map(\.user)) == ["bob", "bobby"] && synced.asOf >= last.asOf)
      // The answer is on the disk.
      let again = try await bench.phone("phone", line)
      let stored = try await again.answer(SearchProfiles.self, .init(query: "bob"))
      #expect(stored.value == synced.value && stored.asOf == synced.asOf)
      await bench.end()
    }

    @Test("A command that needs state from the server fails off line with offline")
    func unknownPerson() async throws {
      let bench = try await Bench("ann", "bob")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      let follow = phone.useCase(FollowUser.self)
      line.mode = .cut
      await #expect(throws: UseCaseError.offline(reason: "FollowUser cannot wait")) {
        try await follow.execute(.init(followee: "bob"), as: "ann")
      }
      #expect(phone.pending.isEmpty)
      line.mode = .open
      #expect(try await follow.execute(.init(followee: "bob"), as: "ann"))
      #expect(phone.outcomes.isEmpty)
      #expect(try await phone.answer(IsFollowing.self, .init(followee: "bob")).value)
      await bench.end()
    }

    @Test("Two taps on a toggle off line lead to the state that the phone showed")
    func toggle() async throws {
      let bench = try await Bench("ann", "bob")
      let core = bench.server.core
      _ = try await FollowUser(core).execute(.init(followee: "bob"), as: "ann")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      let tablet = try await bench.phone("tablet", bench.line(of: "ann"))
      try await phone.sync()
      try await tablet.sync()
      line.mode = .cut
      let toggle = phone.useCase(ToggleFollow.self)
      #expect(try await toggle.execute(.init(followee: "bob"), as: "ann") == false)
      #expect(try await toggle.execute(.init(followee: "bob"), as: "ann") == true)
      #expect(phone.pending.map(\.name) == ["UnfollowUser", "FollowUser"])
      // Meanwhile the same person unfollows on a tablet.
      let other = tablet.useCase(ToggleFollow.self)
      #expect(try await other.execute(.init(followee: "bob"), as: "ann") == false)
      try await tablet.sync()
      #expect(tablet.outcomes.map(\.kind) == [.applied])
      line.mode = .open
      try await phone.sync()
      #expect(phone.outcomes.map(\.kind) == [.alreadyTrue, .applied])
      #expect(try await IsFollowing(core).execute(.init(followee: "bob"), as: "ann"))
      try await tablet.sync()
      for device in [phone, tablet] {
        #expect(try await device.answer(IsFollowing.self, .init(followee: "bob")).value)
      }
      await bench.end()
    }

    @Test("A second process reads what the first one writes, and cannot write")
    func widget() async throws {
      let bench = try await Bench("ann")
      let line = bench.line(of: "ann")
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      let widget = try await bench.phone("phone", line)
      #expect(try await widget.answer(GetProfile.self, .init()).value.sendCount == 0)
      line.mode = .cut
      try await log("c1", on: phone)
      let pending = try await widget.answer(GetProfile.self, .init())
      #expect(pending.value.sendCount == 1 && pending.isPending)
      #expect(widget.pending == phone.pending)
      line.mode = .open
      func isLocked(_ error: any Error) -> Bool {
        if case UseCaseError.log(.locked) = error { true } else { false }
      }
      await #expect { try await log("c2", on: widget) } throws: { isLocked($0) }
      await #expect { try await widget.sync() } throws: { isLocked($0) }
      #expect { try widget.delete() } throws: { isLocked($0) }
      try await phone.sync()
      let settled = try await widget.answer(GetProfile.self, .init())
      #expect(settled.value.sendCount == 1 && !settled.isPending)
      #expect(widget.pending.isEmpty && widget.outcomes == phone.outcomes)
      let outcome = try #require(widget.outcomes.first)
      #expect { try widget.dismiss(outcome.id) } throws: { isLocked($0) }
      #expect(try await bench.server.climbs() == ["c1": 1])
      await bench.end()
    }

    @Test("Signing out deletes the files; another person's folder is refused")
    func signOut() async throws {
      let bench = try await Bench("ann", "bob")
      let phone = try await bench.phone("phone", bench.line(of: "ann"))
      try await phone.sync()
      _ = try await phone.answer(SearchProfiles.self, .init(query: "bob"))
      try await log("c1", on: phone)
      let files = FileManager.default
      #expect(
        try files.contentsOfDirectory(atPath: bench.folder("phone")).sorted()
          == ["answers", "lock", "outbox", "owner", "personal-log"])
      let line = bench.line(of: "bob")
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        _ = try await bench.phone("phone", line)
      }
      // A phone performs commands only for its person.
      await #expect(throws: UseCaseError.refused(.notAuthorized)) {
        try await phone.useCase(LogSend.self).execute(.init(climb: "c2"), as: "bob")
      }
      await #expect(throws: UseCaseError.refused(.unauthorized)) {
        try await phone.useCase(LogSend.self).execute(.init(climb: "c2"), as: nil)
      }
      try phone.delete()
      #expect(try files.contentsOfDirectory(atPath: bench.folder("phone")) == ["lock"])
      #expect(phone.pending.isEmpty && phone.asOf == nil && phone.position == 0)
      _ = try await bench.phone("phone", line)
      #expect(try await bench.server.climbs().isEmpty)
      await bench.end()
    }

    @Test("A phone that is opened again has the same pending commands and outcomes")
    func reopened() async throws {
      let bench = try await Bench("ann")
      let line = bench.line(of: "ann")
      let (pending, outcomes) = try await firstRun(bench, line)
      #expect(pending.map(\.name) == ["LogSend"] && outcomes.map(\.kind) == [.applied])
      let phone = try await bench.phone("phone", line)
      #expect(phone.pending == pending && phone.outcomes == outcomes)
      let profile = try await phone.answer(GetProfile.self, .init())
      #expect(profile.value.sendCount == 3 && profile.settled?.sendCount == 2)
      line.mode = .open
      try await phone.sync()
      #expect(phone.pending.isEmpty && phone.outcomes.map(\.kind) == [.applied, .applied])
      #expect(phone.outcomes.map(\.id) == outcomes.map(\.id) + pending.map(\.id))
      #expect(try await bench.server.climbs() == ["c1": 1, "c2": 1, "c3": 1])
      await bench.end()
    }

    /// Leaves a folder with an outcome that is dismissed, one that is not, and a pending command.
    private func firstRun(
      _ bench: Bench, _ line: Line
    ) async throws -> (pending: [PendingCommand], outcomes: [CommandOutcome]) {
      let phone = try await bench.phone("phone", line)
      try await phone.sync()
      try await log("c1", on: phone)
      try await phone.sync()
      for outcome in phone.outcomes { try phone.dismiss(outcome.id) }
      try await log("c2", on: phone)
      try await phone.sync()
      line.mode = .cut
      try await log("c3", on: phone)
      return (phone.pending, phone.outcomes)
    }

    @Test("The updates of outcomes are the old ones that are not dismissed, and each new one")
    func updates() async throws {
      let bench = try await Bench("ann")
      let phone = try await bench.phone("phone", bench.line(of: "ann"))
      try await phone.sync()
      for number in 0..<2 { try await log("c\(number)", on: phone) }
      try await phone.sync()
      let first = try #require(phone.outcomes.first)
      try phone.dismiss(first.id)
      try phone.dismiss("no such outcome")
      #expect(phone.outcomes.count == 1)
      var updates = phone.outcomeUpdates().makeAsyncIterator()
      let old = await updates.next()
      #expect(old == phone.outcomes.first)
      try await log("c2", on: phone)
      try await phone.sync()
      let new = await updates.next()
      #expect(new?.id == phone.outcomes.last?.id && new?.input["climb"] == .string("c2"))
      await bench.end()
    }

    @Test("A command that the server does not know is refused by name, and kept")
    func newerApp() async throws {
      let bench = try await Bench("ann")
      let line = bench.line(of: "ann")
      try await waveOnce(bench, line)
      // An older version of the app shows the outcome, though it does not know the command.
      let phone = try await bench.phone("phone", line)
      #expect(phone.outcomes.map(\.name) == ["newapp.Wave", "LogSend"])
      #expect(phone.outcomes.map(\.kind) == [.refused, .applied])
      let error = try #require(phone.outcomes.first?.error)
      #expect(error.code == "invalidInput" && "\(error)".contains("newapp.Wave"))
      await bench.end()
    }

    /// Performs a command of a newer app, and another command, and syncs.
    private func waveOnce(_ bench: Bench, _ line: Line) async throws {
      let phone = try await OfflineStore(
        bench.folder("phone"), server: line, of: "ann", useCases: .standard.adding(Wave.self))
      try await phone.sync()
      line.mode = .cut
      _ = try await phone.useCase(Wave.self).execute(.init(), as: "ann")
      try await log("c1", on: phone)
      line.mode = .open
      try await phone.sync()
      #expect(phone.pending.isEmpty)
    }

    private func log(_ climb: String, on phone: OfflineStore) async throws {
      _ = try await phone.useCase(LogSend.self).execute(.init(climb: climb), as: "ann")
    }
  }

  /// A command of a newer app, which the server does not know.
  private struct Wave: SilentCommand {
    static let about = About("newapp.Wave", .profile, "Wave to nobody", errors: ["unauthorized"])
    let core: Core
    init(_ core: Core) { self.core = core }
    func decide(_ input: NoInput, in model: inout Model) throws(UseCaseError) {
      _ = try model.actor()
    }
  }

  /// A server with people, and the folders of their phones.
  private final class Bench: Sendable {
    let server: TestServer
    private let root = FileManager.default.temporaryDirectory.appending(
      path: "eventlog-phones-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let lines = Mutex<[Line]>([])

    init(_ users: String...) async throws {
      server = try await TestServer()
      for user in users { try await server.people(user) }
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    func folder(_ name: String) -> String { root.appending(path: name).path }

    func line(of user: String) -> Line {
      let line = Line(user, server.remote(as: user))
      lines.withLock { $0.append(line) }
      return line
    }

    /// Opens the phone of the line's person.
    func phone(_ name: String, _ line: Line) async throws -> OfflineStore {
      try await OfflineStore(folder(name), server: line, of: line.user)
    }

    func end() async {
      for line in lines.withLock({ $0 }) { line.remote.close() }
      await server.end()
      try? FileManager.default.removeItem(at: root)
    }
  }

  /// A phone's connection to the server, which a test can cut.
  private final class Line: OfflineServer {
    enum Mode { case open, cut, losesAnswers }
    let user: String
    let remote: RemoteCore
    private let state = Mutex(Mode.open)

    init(_ user: String, _ remote: RemoteCore) { (self.user, self.remote) = (user, remote) }

    var mode: Mode {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }

    private func check(_ working: Mode...) throws(UseCaseError) {
      if !working.contains(mode) { throw .unreachable(reason: "the line is cut") }
    }

    func perform(
      _ commands: [OutboxCommand], as user: String
    ) async throws(UseCaseError) -> [OutboxReply] {
      try check(.open, .losesAnswers)
      let replies = try await remote.perform(commands, as: user)
      try check(.open)
      return replies
    }

    func personalLog(
      of user: String, since earlier: PersonalLog?
    ) async throws(UseCaseError) -> PersonalLog {
      try check(.open)
      return try await remote.personalLog(of: user, since: earlier)
    }

    func perform<U: DescribedUseCase>(
      _ useCase: U.Type, _ input: U.Input, as user: String
    ) async throws(UseCaseError) -> U.Output {
      try check(.open)
      return try await remote.perform(useCase, input, as: user)
    }

    func answers(
      to queries: [RememberedAnswer], as user: String
    ) async throws(UseCaseError) -> [RememberedAnswer?] {
      try check(.open)
      return try await remote.answers(to: queries, as: user)
    }
  }
#endif
